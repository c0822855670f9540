import * as Schema from "effect/Schema"

/** What files of search data are, by the names of `--format` and of the parameter `format`. */
export const FileFormat = Schema.Literal("gsc-csv", "gsc-api", "bigquery")
export type FileFormat = typeof FileFormat.Type
