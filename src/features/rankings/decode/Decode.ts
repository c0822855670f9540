import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import { Gunzip, Unzip, UnzipInflate } from "fflate"
import { type Gauge, isBomb, slices } from "../../../foundation/text/Compressed.ts"
import type { FileFormat } from "../Domain.ts"
import { type Batch, emptyBatch, ImportFailed } from "../RawRow.ts"
import { apiReader } from "./ApiJson.ts"
import { bigQueryJsonReader, reader } from "./BigQuery.ts"
import { type Batches, type Decoder, failing, type Options, ofReader, type Reader } from "./Collector.ts"
import * as SearchConsoleCsv from "./SearchConsoleCsv.ts"

/** Unpacks gzip, the usual form of bulk exports, before another decoder. */
const decoder = (file: string, inner: Decoder): Decoder => {
  const gauge: Gauge = { packed: 0, unpacked: 0 }
  const chunks: Array<Uint8Array> = []
  let reason: string | undefined
  const gunzip = new Gunzip((bytes) => {
    gauge.unpacked += bytes.length
    if (isBomb(gauge)) reason ??= "the file is far too large when uncompressed"
    if (reason === undefined) chunks.push(bytes)
  })
  const push = function* (bytes: Uint8Array, last: boolean): Batches {
    for (const piece of slices(bytes)) {
      gauge.packed += piece.length
      if (Either.isLeft(Either.try(() => gunzip.push(piece, last)))) {
        reason ??= "the compressed file is damaged or incomplete. Download it again"
      }
      for (const chunk of chunks.splice(0)) yield* inner.push(chunk)
      if (reason !== undefined) return yield failing(file, 0, reason)
    }
    if (last) yield* inner.end()
  }
  return { push: (bytes) => push(bytes, false), end: () => push(new Uint8Array(0), true) }
}

/** The first bytes that distinguish the known containers and texts. */
const needed = 4

/** Chooses a decoder by the first bytes of a file, not by its name. */
const sniffedDecoder = (choose: (start: Uint8Array) => Decoder): Decoder => {
  let held = new Uint8Array(0)
  let chosen: Decoder | undefined
  const grown = (bytes: Uint8Array) => {
    const all = new Uint8Array(held.length + bytes.length)
    all.set(held)
    all.set(bytes, held.length)
    return all
  }
  return {
    push: (bytes) => {
      if (chosen !== undefined) return chosen.push(bytes)
      held = grown(bytes)
      if (held.length < needed) return [].values()
      chosen = choose(held)
      return chosen.push(held)
    },
    end: function* () {
      const known = chosen ?? choose(held)
      if (chosen === undefined) yield* known.push(held)
      yield* known.end()
    }
  }
}

/** The most members of an archive; an export has seven. */
export const mostMembers = 100

/** The progress through the members of one archive. */
interface Progress {
  decoded: number
  failure: string | undefined
  readonly refusals: Array<ImportFailed>
}

/** The kind of a member's content, and its decoder. */
interface Chunk {
  readonly read: (bytes: Uint8Array, last: boolean) => Batches
  readonly bytes: Uint8Array
  readonly last: boolean
}

/** The members to read in an archive. */
interface Members {
  /** The names of members to read; other members are ignored. */
  readonly names: RegExp
  /** Whether a member with a refused header is skipped, as in archives of Search Console's interface. */
  readonly varied: boolean
  readonly decoder: (name: string) => Decoder
}

/**
 * Reads a ZIP archive as it arrives. Members that can be imported are decoded; other tables, such as some in an export of the interface, are skipped. An
 * archive without an importable member fails with the first member's reason.
 */
const zipDecoder = (file: string, members: Members): Decoder => {
  const progress: Progress = { decoded: 0, failure: undefined, refusals: [] }
  const gauge: Gauge = { packed: 0, unpacked: 0 }
  const chunks: Array<Chunk> = []
  let met = 0
  const fail = (reason: string) => {
    progress.failure ??= reason
  }
  const unzip = new Unzip((found) => {
    met += 1
    if (found.name === "[Content_Types].xml" || found.name.startsWith("xl/"))
      fail("this is an Excel workbook (xlsx). Save the sheet as CSV")
    if (met > mostMembers) fail(`the archive has more than ${mostMembers} files`)
    const name = nameOf(found.name).slice(0, longestName)
    const isRead = members.names.test(found.name) && !found.name.startsWith(copies)
    const read = isRead ? memberReader(members.decoder(`${file}/${name}`), members.varied, progress) : ignore
    found.ondata = (error, bytes, last) => {
      if (error !== null) return fail(`"${name}" cannot be unpacked: ${error.message}`)
      gauge.unpacked += bytes.length
      if (isBomb(gauge)) fail("the archive is far too large when uncompressed")
      if (progress.failure === undefined) chunks.push({ bytes, last, read })
    }
    found.start()
  })
  unzip.register(UnzipInflate)

  const push = function* (bytes: Uint8Array, last: boolean): Batches {
    for (const piece of slices(bytes)) {
      gauge.packed += piece.length
      const done = Either.try(() => unzip.push(piece, last))
      if (Either.isLeft(done)) fail("the archive is damaged. Download it again")
      for (const chunk of chunks.splice(0)) yield* chunk.read(chunk.bytes, chunk.last)
      if (progress.failure !== undefined) return yield failing(file, 0, progress.failure)
    }
    if (!last) return
    const { decoded, refusals } = progress
    yield decoded === 0
      ? Either.left(reasonOf(file, refusals))
      : Either.right({ ...emptyBatch, passedOver: passedOver(refusals) })
  }
  return { push: (bytes) => push(bytes, false), end: () => push(new Uint8Array(0), true) }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The name of a member. Unless the archive declares UTF-8, fflate returns a character for each byte. */
const nameOf = (name: string): string => {
  const bytes = Array.from(name, (character) => character.charCodeAt(0))
  const read = Either.try(() => utf8.decode(Uint8Array.from(bytes)))
  return bytes.some((byte) => byte > 0xff) ? name : Either.getOrElse(read, () => name)
}

/** The most characters of a member's name in a message; a name may have 65,535. */
const longestName = 300

/** The directory where macOS puts the attributes of members, under their names. */
const copies = "__MACOSX/"

const ignore = (): Batches => [].values()

/**
 * Feeds one member to its decoder. A refused header only skips the member; a bad row fails the archive. The list of filters does not count as a table of the
 * archive.
 */
const memberReader = (decoder: Decoder, varied: boolean, progress: Progress) => {
  let isRefused = false
  let isTable = true
  const decoded = function* (bytes: Uint8Array, last: boolean): Batches {
    yield* decoder.push(bytes)
    if (last) yield* decoder.end()
  }
  return function* (bytes: Uint8Array, last: boolean): Batches {
    if (isRefused) return
    for (const result of decoded(bytes, last)) {
      if (Either.isLeft(result) && result.left.line <= 1 && varied) {
        isRefused = true
        progress.refusals.push(result.left)
        return
      }
      if (Either.isRight(result) && result.right.exported?.by === "filters") isTable = false
      yield result
    }
    if (last && isTable) progress.decoded += 1
  }
}

/** The reasons of skipped tables in an archive with imported ones. */
const passedOver = (refusals: ReadonlyArray<ImportFailed>) => refusals.map(({ message }) => message)

/** The problem of an export is a better message than "this file is no export". */
const reasonOf = (file: string, refusals: ReadonlyArray<ImportFailed>) =>
  refusals.find(({ reason }) => reason.startsWith("this export")) ??
  refusals[0] ??
  new ImportFailed({
    file,
    line: 0,
    reason: "the archive has no Search Console table. Import the ZIP as Search Console exports it"
  })

/** The decoder of a file in a format; ZIP, gzip and, for bulk exports, JSON or CSV are recognised by their first bytes. */
export const formatDecoder = (format: FileFormat, file: string, options: Options): Decoder =>
  sniffedDecoder((start) => {
    if (!startsWith(start, zip)) return single(format, file, options, start)
    const member = (name: string) => sniffedDecoder((start) => single(format, name, options, start))
    return zipDecoder(file, { decoder: member, names: memberNames[format], varied: format === "gsc-csv" })
  })

/** The names of archive members to read. */
const memberNames: Readonly<Record<FileFormat, RegExp>> = {
  bigquery: /\.(csv|tsv|txt|json|jsonl|ndjson)(\.gz)?$/i,
  "gsc-api": /\.(json|jsonl|ndjson|txt)(\.gz)?$/i,
  "gsc-csv": /\.(csv|tsv|txt)(\.gz)?$/i
}

/** The decoder of a file that is no archive, by its first bytes. */
const single = (format: FileFormat, file: string, options: Options, start: Uint8Array): Decoder => {
  if (startsWith(start, gzip))
    return decoder(
      file,
      sniffedDecoder((inner) => ofReader(plain(textOf(format, inner), file, options)))
    )
  const other = foreign.find(({ magic }) => startsWith(start, magic))
  if (other !== undefined)
    return refusing(file, `this is ${other.name}. Export the table as CSV, or the bulk export as NDJSON`)
  return ofReader(plain(textOf(format, start), file, options))
}

/** Unsupported containers by their first bytes. */
const foreign: ReadonlyArray<{ readonly magic: ReadonlyArray<number>; readonly name: string }> = [
  { magic: [0x50, 0x41, 0x52, 0x31], name: "Parquet" },
  { magic: [0x4f, 0x62, 0x6a, 0x01], name: "Avro" },
  { magic: [0x4f, 0x52, 0x43], name: "ORC" },
  { magic: [0xd0, 0xcf, 0x11, 0xe0], name: "an Excel workbook (xls)" }
]

const refusing = (file: string, reason: string): Decoder =>
  ofReader({ push: () => failing(file, 0, reason), end: () => failing(file, 0, reason) })

/** Whether a file is compressed, by its first bytes. */
export const isPacked = (start: Uint8Array): boolean => [zip, gzip].some((magic) => startsWith(start, magic))

type Text = "search-csv" | "api-json" | "bulk-csv" | "bulk-json"

const zip = [0x50, 0x4b, 0x03, 0x04] as const
const gzip = [0x1f, 0x8b] as const

const startsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>) =>
  magic.every((byte, index) => bytes[index] === byte)

const csvOf = (format: FileFormat): Text => (format === "bigquery" ? "bulk-csv" : "search-csv")

const textOf = (format: FileFormat, start: Uint8Array): Text => {
  if (format === "gsc-api") return "api-json"
  return format === "bigquery" && looksLikeJson(start) ? "bulk-json" : csvOf(format)
}

/** `{` or `[` after a byte order mark or blanks. An empty file is JSON without rows, because a table always has a header. */
const looksLikeJson = (start: Uint8Array) => {
  const first = start.find((byte) => byte > 32 && byte < 0x80)
  return first === 0x7b || first === 0x5b || start.length === 0
}

const plain = (text: Text, file: string, options: Options): Reader => {
  switch (text) {
    case "search-csv":
      return SearchConsoleCsv.reader(file, options)
    case "api-json":
      return apiReader(file, options)
    case "bulk-csv":
      return reader(file, options)
    case "bulk-json":
      return bigQueryJsonReader(file, options)
  }
}

/** Decodes a file's bytes into batches of rows of at most some thousands; fails at the first line that cannot be imported. */
export const rows =
  (format: FileFormat, file: string, options: Options) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Batch, ImportFailed | E, R> =>
    Stream.suspend(() => {
      const decoder = formatDecoder(format, file, options)
      return bytes.pipe(
        Stream.flatMap((piece) => batchesOf(decoder.push(piece))),
        Stream.concat(Stream.suspend(() => batchesOf(decoder.end())))
      )
    })

/** Emits one batch at a time, on demand. */
const batchesOf = (batches: Batches) => Stream.mapEffect(Stream.fromIteratorSucceed(batches, 1), identity)
