/** `findable/rankings`: what reads Search Console files, in Node and in Bun, and what imports them into a database, in Bun. */

export { rows } from "../rankings/decode/Decode.ts"
export type { Options } from "../rankings/decode/Options.ts"
export { FileFormat as Format } from "../rankings/FileFormat.ts"
export { ImportFailed } from "../rankings/ImportFailed.ts"
export type { Imported, ImportRequest } from "../rankings/import/Imports.ts"
export { Imports } from "../rankings/import/Imports.ts"
export * as Property from "../rankings/Property.ts"
export type { Batch, Dropped, RawRow, Table } from "../rankings/RawRow.ts"
export { addDropped, noneDropped } from "../rankings/RawRow.ts"
export type { Site } from "../rankings/SitesRepo.ts"
