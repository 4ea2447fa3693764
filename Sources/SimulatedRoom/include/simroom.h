#ifndef SIMROOM_H
#define SIMROOM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define SIMROOM_EXPORT __attribute__((visibility("default")))

/// A room with a loudspeaker, a microphone and a person in it, for machines without a sound card.
///
/// The library is an ALSA plugin (`type simroom`) and this interface in one file: alsa-lib and a
/// `dlopen` of the same path share one table of rooms. Time in a room counts in frames at 48 kHz
/// from the start of the first stream; the recording begins at the same frame 0.
///
/// ALSA finds it through a configuration file named by `ALSA_CONFIG_PATH` before the first ALSA
/// call of the process:
///
///     </usr/share/alsa/alsa.conf>
///     pcm_type.simroom { lib "/path/to/libSimulatedRoom.so" }
///     pcm.simroom {
///       type simroom
///       room "default"          # all of the following are optional
///       erl_db 6                # echo return loss, speaker to microphone
///       delay_ms 10             # of the first sound from speaker to microphone
///       rt60_ms 200             # reverberation time, 0 for a single reflection-free path
///       noise_dbfs -70          # noise floor at the microphone, -120 or less for none
///       seed 1
///       impulse_response "/path/to/mono-48k-16-bit.wav"
///       record "/path/to/recording.wav"
///       clock "real"            # or "manual": simroom_advance moves the time
///       playback_latency_ms 0   # between the buffer and the air, told by the driver
///       hidden_latency_ms 0     # and not told
///       faults "500:xrun:p,900:stall:c:60"   # ms:kind:direction:length_ms, see fault_script.h
///       rate 48000              # of this PCM: its card can do nothing else; 0 is 48 kHz
///       format "S16_LE"         # likewise: S16_LE, S24_3LE, S24_LE, S32_LE, FLOAT_LE, any
///       channels 2              # likewise: 1 to 16; 0 is 1 or 2
///       access "rw"             # likewise: rw, mmap, any
///       microphone_channel 0    # the only channel with sound, from 1; 0 is all
///       reference_channel 0     # the one that carries what the speaker plays, from 1; 0 is none
///       capture_ppm 0           # by which a clock of the card is fast
///       playback_ppm 0
///     }
///
/// Fields of the file apply when that open makes the room; a room that exists keeps its own.
/// Every function may be called from any thread; none belongs on a realtime thread.
typedef struct simroom simroom;

/// Returns the room of that name, made at the first call; NULL when memory or the table (32 rooms)
/// is exhausted.
SIMROOM_EXPORT simroom *simroom_room(const char *name);

/// Completes the recording and forgets the room; its handle and its name are free afterwards.
/// Result: 0 or -EBUSY (a stream is open).
SIMROOM_EXPORT int simroom_remove(simroom *room);

/// Sets the acoustics, from the next period on.
/// - echo_return_loss_db: speaker level less echo level at the microphone, in dB; 200 or more:
/// none.
/// - delay_ms: 0 to 500. rt60_ms: 0 to 1,000. noise_dbfs: root mean square, -120 or less for none.
/// - record_path: WAV to write (left microphone, right speaker, 48 kHz, 16-bit), with a JSON file
///   of the same name beside it; NULL leaves the recording as it is.
/// Result: 0, -EINVAL, -ENOMEM, -EBUSY (it records already) or the errno of the file.
SIMROOM_EXPORT int simroom_configure(simroom *room, double echo_return_loss_db, double delay_ms,
                                     double rt60_ms, double noise_dbfs, uint32_t seed,
                                     const char *record_path);

/// Lets the person say something, after whatever is queued and not before the next period.
/// - pcm48k: 48 kHz mono, copied.
/// - start_frame: receives the room's frame at which the first sample reaches the microphone; may
///   be NULL.
/// Result: 0, -EINVAL, -ENOMEM or -ENOSPC (16 utterances are waiting; counted).
SIMROOM_EXPORT int simroom_say(simroom *room, const int16_t *pcm48k, size_t frames,
                               int64_t *start_frame);

/// 1 when nothing that the person was told to say is left, else 0.
SIMROOM_EXPORT int simroom_near_end_idle(simroom *room);

/// The room's time in frames; 0 until the first stream starts.
SIMROOM_EXPORT int64_t simroom_position(simroom *room);

/// Directions; faults take a mask of both.
enum { SIMROOM_PLAYBACK = 1, SIMROOM_CAPTURE = 2 };

/// The room's frame of a running stream's frame 0; -1 when that stream does not run.
/// - direction: SIMROOM_PLAYBACK or SIMROOM_CAPTURE.
SIMROOM_EXPORT int64_t simroom_stream_start(simroom *room, int direction);

/// Faults, each as a kernel device shows it.
enum {
  SIMROOM_FAULT_XRUN = 1,     ///< overrun or underrun now: -EPIPE until prepared again
  SIMROOM_FAULT_SUSPEND,      ///< -ESTRPIPE; resume continues where it stopped
  SIMROOM_FAULT_STALL,        ///< the device's clock stands still for `frames`
  SIMROOM_FAULT_UNPLUG,       ///< open streams are gone, opening fails with -ENODEV
  SIMROOM_FAULT_REPLUG,       ///< opening works again
  SIMROOM_FAULT_JUMP,         ///< the device's position leaps ahead by `frames`
  SIMROOM_FAULT_LYING_SUSPEND ///< as suspend, and the first resume answers 0 and changes nothing
};

/// - directions: mask of the streams that are hit.
/// - frames: length of a stall or a jump, else ignored.
/// Result: 0 or -EINVAL.
SIMROOM_EXPORT int simroom_inject(simroom *room, int fault, int directions, int64_t frames);

/// Lets the clock of a direction run fast by so many parts in a million, from now on.
/// Result: 0 or -EINVAL (10,000 at most).
SIMROOM_EXPORT int simroom_set_drift(simroom *room, int direction, double ppm);

/// Sets what lies between the playback buffer and the air, in frames at 48 kHz: as the driver tells
/// it, and what it does not tell. What is on that way is lost. Result: 0 or -EINVAL (2 s at most).
SIMROOM_EXPORT int simroom_set_latency(simroom *room, int64_t told, int64_t hidden);

/// The truth: the room's frame at which a frame of the running playback stream is heard, or -1.
/// - stream_frame: of the stream, at its own rate, counted from its start; silence counts too.
SIMROOM_EXPORT int64_t simroom_heard_at(simroom *room, int64_t stream_frame);

/// What has happened in the room, by index.
enum {
  SIMROOM_PLAYED_FRAMES,
  SIMROOM_CAPTURED_FRAMES,
  SIMROOM_PLAYBACK_XRUNS,
  SIMROOM_CAPTURE_XRUNS,
  SIMROOM_UTTERANCES,
  SIMROOM_UTTERANCES_REFUSED,
  SIMROOM_RECORDED_FRAMES,
  SIMROOM_RECORDER_DROPPED_FRAMES,
  SIMROOM_SPURIOUS_WAKES,
  SIMROOM_COUNTERS
};

/// Copies the first `count` counters to `out`. Result: how many were copied.
SIMROOM_EXPORT size_t simroom_counters(simroom *room, uint64_t *out, size_t count);

/// Waits until everything heard so far is in the recording's file (two seconds at most).
/// Result: 0, -ETIMEDOUT or the errno that ended the recording.
SIMROOM_EXPORT int simroom_flush(simroom *room);

/// Stops the wall clock for this room, for tests; only before its first stream starts.
/// Result: 0 or -EBUSY.
SIMROOM_EXPORT int simroom_use_manual_clock(simroom *room);

/// Moves a manual clock. Result: 0 or -EINVAL.
SIMROOM_EXPORT int simroom_advance(simroom *room, int64_t frames);

#if defined(__cplusplus)
}
#endif

#endif
