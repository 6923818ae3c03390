#pragma once

/* The words that the process was started with, and their number: known where /proc is not mounted, where Swift's own are not. */
char **folio_process_words(void);
int folio_process_word_count(void);
