import * as Schema from "effect/Schema"

/** The formats of search data, as `--format` and the parameter `format` name them. */
export const FileFormat = Schema.Literal("gsc-csv", "gsc-api", "bigquery")
export type FileFormat = typeof FileFormat.Type
