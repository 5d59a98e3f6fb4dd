/* bounds.h - the sizes that values of a store may have. Writers keep to them, and readers
 * leave out what exceeds them: a database takes up to 1 GB per value from anybody who may
 * write (docs/store.md, "Limits of values"). As text, since they are parts of statements.
 */
#ifndef STORE_BOUNDS_H
#define STORE_BOUNDS_H

/* Bytes of a name: store_clean() cuts longer ones. */
#define MAX_NAME 1000

/* Bytes of the labels of a run, as JSON: some thirty of the longest, or a thousand usual
 * ones. */
#define MAX_LABELS 65536

/* Bytes of a digest, packed: a hundred times that of the largest service that was seen. */
#define MAX_DIGEST 67108864

/* Snapshots of a series that are listed: one every four minutes for two years. */
#define MAX_SNAPSHOTS 262144

#define BOUND_TEXT(n) #n
#define BOUND(n) BOUND_TEXT(n)

/* Conditions that are true of a row whose values keep to them. */
#define NAME_FITS(column) "{text_size:" column "} <= " BOUND(MAX_NAME)
#define LABELS_FIT "{text_size:labels} <= " BOUND(MAX_LABELS)
#define RUN_FITS NAME_FITS("run") " AND " NAME_FITS("service") " AND " NAME_FITS("host")
#define BUILD_FITS \
    NAME_FITS("process") " AND " NAME_FITS("build") " AND " NAME_FITS("instance")
#define SERIES_FITS RUN_FITS " AND " BUILD_FITS " AND " LABELS_FIT
#define SNAPSHOT_FITS NAME_FITS("xxh3") " AND {bytes_size:digest} <= " BOUND(MAX_DIGEST)
#define TYPE_FITS NAME_FITS("name")
#define FINDING_FITS \
    NAME_FITS("subject") " AND " NAME_FITS("confidence") " AND " NAME_FITS("holder")

/* Rows of a table of which that is not true, NULL included. */
#define UNFIT(fits) "CASE WHEN " fits " THEN 0 ELSE 1 END = 1"

#endif
