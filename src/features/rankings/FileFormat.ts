import * as Schema from "effect/Schema"

/** The formats of search data, as `--format` and the parameter `format` name them. */
export const FileFormat = Schema.Literal("gsc-csv", "gsc-api", "bigquery").annotations({
  identifier: "RankingFileFormat",
  description:
    "`gsc-csv`: tables of the interface; `gsc-api`: answers of the Search Console API; `bigquery`: rows of the bulk export"
})
export type FileFormat = typeof FileFormat.Type
