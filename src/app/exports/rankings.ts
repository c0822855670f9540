/** `findable/rankings`: a reader of Search Console files for Node and Bun, and imports into a database for Bun. */

export { FileFormat as Format } from "../../features/rankings/Domain.ts"
export type { Options } from "../../features/rankings/decode/Collector.ts"
export { rows } from "../../features/rankings/decode/Decode.ts"
export type { Imported, ImportRequest } from "../../features/rankings/import/Imports.ts"
export { Imports } from "../../features/rankings/import/Imports.ts"
export * as Property from "../../features/rankings/Property.ts"
export type {
  Batch,
  Dropped,
  ExportDays,
  RawRow,
  SnapshotRow,
  SnapshotTable,
  Table
} from "../../features/rankings/RawRow.ts"
export { addDropped, ImportFailed, noneDropped } from "../../features/rankings/RawRow.ts"
export type { Site } from "../../features/rankings/Site.ts"
