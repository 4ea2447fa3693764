#ifndef ECHO_JUDGE_H
#define ECHO_JUDGE_H

#include "echo_bench.h"
#include "scene.h"
#include "voice_vad.h"

/// One VAD threshold for all rows and scenes: Silero's own.
#define JUDGE_THRESHOLD 0.5f
/// In an ideal canceller's output, from here on a window counts as voiced for certain.
#define JUDGE_VOICED 0.6f
/// Windows of speech in a row that would start a turn: 96 ms.
#define JUDGE_RUN 3

/// Probabilities of speech of all whole windows. Result: how many.
size_t judge_speech(vd_vad *vad, const float *samples, size_t count, float *probabilities);
/// Judges an output of `scene->count` samples.
/// - ideal: probabilities of `scene->ideal`, of what a perfect canceller would leave.
void judge(const scene *scene, const float *ideal, const float *output, vd_vad *vad,
           echo_judgement *judgement);
/// The same where nobody speaks.
void judge_echo_only(const float *output, size_t count, vd_vad *vad, echo_judgement *judgement);

#endif
