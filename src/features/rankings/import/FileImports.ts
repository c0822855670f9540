import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { Invalid, Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { hashOf } from "../../../foundation/text/Compressed.ts"
import type { Coverage, Days, FileFormat } from "../Domain.ts"
import type { Options } from "../decode/Collector.ts"
import * as Property from "../Property.ts"
import type { Dropped } from "../RawRow.ts"
import type { Site } from "../Site.ts"
import { type Imported, Imports } from "./Imports.ts"
import type * as Loads from "./Loads.ts"
import { ImportsRepo } from "./Log.ts"
import { waitingFor } from "./Message.ts"

/** Options for reading files; null means not given. */
export interface Reading {
  readonly format: FileFormat
  readonly date: string | null
  /** Names separated by commas. */
  readonly dimensions: string | null
  readonly property: string | null
  /** The days of tables without dates, when the export names no days. */
  readonly range: Days | null
  /** Whether a bulk export may leave less than half of a stored day, and whether other files remove the data that they lack. */
  readonly replaces: boolean
}

/** The caller's range for tables without dates: both ends, or none. */
export const rangeOf = (given: {
  readonly date: string | null
  readonly end: string | null
  readonly start: string | null
}): Effect.Effect<Days | null, Invalid> => {
  const { date, end, start } = given
  if (start === null && end === null) return Effect.succeed(null)
  if (start === null) return Invalid.of("start", "is required together with end")
  if (end === null) return Invalid.of("end", "is required together with start")
  if (date !== null && (start !== date || end !== date))
    return Invalid.of("date", "must be the same day as start and end")
  return start <= end ? Effect.succeed({ end, start }) : Invalid.of("start", `must not be after end, ${end}`)
}

/** The days of tables without dates; a given day is the first and the last day. */
const daysOf = ({ date, range }: Reading): Days | null => (date === null ? range : { end: date, start: date })

/** The outcome of an earlier import of the same files, when no fact has changed since. */
export interface Unchanged extends Loads.Extent {
  readonly changed: 0
  /** Null for a site without a list. */
  readonly coverage: Coverage | null
  readonly dropped: Dropped
  readonly incomplete_days: ReadonlyArray<string>
  readonly message: string
  readonly unchanged: true
}

const known = "This file was already imported. Nothing changed."

/** The hash that recognises files with their reading options. */
export const nameOf = (
  { date, dimensions, format, property, range, replaces }: Reading,
  digests: ReadonlyArray<Uint8Array>
) =>
  hashOf(
    [
      format,
      ...[date, dimensions, property].map((text) => text ?? ""),
      ...(range === null ? [] : [range.start, range.end]),
      ...(replaces ? ["replace"] : [])
    ],
    digests
  )

/** The newest day that a file may have; later days are refused. */
const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** Imports files that an administrator names or a caller sends. */
export class FileImports extends Effect.Service<FileImports>()("rankings/import/FileImports", {
  dependencies: [Imports.Default, ImportsRepo.Default],
  effect: Effect.gen(function* () {
    const imports = yield* Imports
    const log = yield* ImportsRepo

    const optionsOf = Effect.fnUntraced(function* (site: Site, { date, dimensions, property }: Reading) {
      const known = property === null ? undefined : Property.covering(property, site.host)
      // Refuses a property that does not cover the site.
      if (known !== undefined && Either.isLeft(known)) return yield* new Refused({ message: known.left })
      return {
        host: site.host,
        origin: new URL(site.url).origin,
        notAfter: yield* today,
        ...(known === undefined ? {} : { property: known.right }),
        ...(date === null ? {} : { date }),
        ...(dimensions === null ? {} : { dimensions: dimensions.split(",").map((name) => name.trim().toLowerCase()) })
      } satisfies Options
    })

    /** Imports the rows that `read` decodes, all or nothing. `last` ends the transaction; `named` names files in messages. Known files are not read. */
    const run = Traced.fn("FileImports.run")(function* <E, R, E2 = never>(
      site: Site,
      reading: Reading,
      hash: string,
      read: (options: Options) => Stream.Stream<Loads.Load, E, R>,
      last: (imported: Imported) => Effect.Effect<void, E2> = () => Effect.void,
      named: (file: string) => string = identity
    ) {
      const options = yield* optionsOf(site, reading)
      const before = yield* log.same({ hash, site: site.id })
      if (Option.isSome(before)) {
        const message = `${known}${waitingFor(before.value.incomplete_days)}`
        return { ...before.value, changed: 0, message, unchanged: true } satisfies Unchanged
      }
      const { format, replaces } = reading
      const request = { hash, named, range: daysOf(reading), renews: true, replaces, site, source: format }
      return yield* imports.load(request, read(options), last)
    })

    return { run }
  })
}) {}
