#ifndef VC_PATH_FILTER_H
#define VC_PATH_FILTER_H

#include "echo_rate.h"
#include "echo_transform.h"

/// Samples of the echo's path that one partition models: 20 ms at 16 kHz.
#define VC_PARTITION 320
/// Partitions: 240 ms together.
#define VC_PARTITIONS 12
/// Blocks between two partitions.
#define VC_PARTITION_STRIDE (VC_PARTITION / VC_ECHO_BLOCK)

/// A Kalman filter in each bin over all partitions of the path, whose covariance knows how they
/// hang together. How sure it is of itself decides how far it moves, so a person who speaks over
/// the agent does not lead it astray.
typedef struct {
  float forgets; ///< share of the path's power that a block makes unsure
  float least;   ///< the least of that, as a power
  vc_spectrum filter[VC_PARTITIONS];
  /// Of the filter's error, Hermitian; the upper half is kept.
  float covariance_re[VC_PARTITIONS][VC_PARTITIONS][VC_TRANSFORM_ROOM];
  float covariance_im[VC_PARTITIONS][VC_PARTITIONS][VC_TRANSFORM_ROOM];
  vc_spectrum cross[VC_PARTITIONS];   ///< the covariance times the conjugate reference
  float noise[VC_TRANSFORM_ROOM];     ///< power of what is no echo
  float left[VC_TRANSFORM_ROOM];      ///< power of the echo that is expected to be left
  float certainty[VC_TRANSFORM_ROOM]; ///< inverse of the power that the error is expected to have
  vc_spectrum error;                  ///< of the last block
} vc_path;

/// Forgets the path; the two rates stay.
void vc_path_reset(vc_path *path) VD_NONBLOCKING;
/// Takes the echo as the filter sees it from one block, and learns from what is left.
/// - x: spectra of the reference, one a partition.
/// - out: the microphone less the echo; estimate: that echo.
void vc_path_process(vc_path *path, const vc_transform *transform, const vc_spectrum *const *x,
                     const float *microphone, float *out, float *estimate) VD_NONBLOCKING;
/// All of the path became louder by a factor.
void vc_path_scale(vc_path *path, float factor) VD_NONBLOCKING;
/// Takes over what another filter knows of the path.
void vc_path_copy(vc_path *path, const vc_path *from) VD_NONBLOCKING;

#endif
