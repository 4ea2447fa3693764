#ifndef AD_ALSA_WORDS_H
#define AD_ALSA_WORDS_H

/// Has alsa-lib's own words kept instead of printed to standard error. Role: application.
void ad_words_install(void);
/// From now on this thread's words are kept.
void ad_words_begin(void);
/// The first that alsa-lib said since then, and where it names a file that too; "" when it said
/// nothing. They are kept no more. Valid until the next `ad_words_begin` of this thread.
const char *ad_words_end(void);

#endif
