// Whether a session store holds everything that was acknowledged.
#include "load.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

int load_check(const char *database, const char *ids_path) {
  sqlite3 *store;
  sqlite3_stmt *find;
  int corrupt = 1, lost = 0, wrong = 0, acknowledged = 0;
  if (sqlite3_open_v2(database, &store, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
    sqlite3_stmt *check;
    if (sqlite3_prepare_v2(store, "PRAGMA integrity_check", -1, &check, NULL) == SQLITE_OK &&
        sqlite3_step(check) == SQLITE_ROW)
      corrupt = strcmp((const char *)sqlite3_column_text(check, 0), "ok") != 0;
    sqlite3_finalize(check);
  }
  FILE *ids = fopen(ids_path, "r");
  char id[128];
  int prepared = sqlite3_prepare_v2(store, "SELECT detail FROM sessions WHERE id = ?", -1, &find,
                                    NULL) == SQLITE_OK;
  while (ids && fgets(id, sizeof id, ids)) {
    id[strcspn(id, "\n")] = 0;
    acknowledged++;
    char title[256];
    snprintf(title, sizeof title, "\"title of %s\"", id);
    if (!prepared) {
      lost++;
      continue;
    }
    sqlite3_bind_text(find, 1, id, -1, SQLITE_TRANSIENT);
    if (sqlite3_step(find) != SQLITE_ROW) {
      lost++;
    } else if (!strstr((const char *)sqlite3_column_text(find, 0), title)) {
      wrong++;
    }
    sqlite3_reset(find);
  }
  if (ids)
    fclose(ids);
  sqlite3_finalize(find);
  sqlite3_close(store);
  printf("{\"acknowledged\":%d,\"lost\":%d,\"wrong\":%d,\"corrupt\":%d}\n", acknowledged, lost,
         wrong, corrupt);
  return 0;
}
