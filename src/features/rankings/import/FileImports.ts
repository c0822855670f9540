import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { hashOf } from "../../../foundation/text/FileHash.ts"
import type { Coverage } from "../Domain.ts"
import type { Options } from "../decode/Options.ts"
import type { FileFormat } from "../FileFormat.ts"
import * as Property from "../Property.ts"
import type { Dropped } from "../RawRow.ts"
import type { Site } from "../SitesRepo.ts"
import type { Extent } from "./Extent.ts"
import { type Imported, Imports } from "./Imports.ts"
import { ImportsRepo } from "./ImportsRepo.ts"
import type { Load } from "./Loads.ts"

/** Options for reading files; null where not given. */
export interface Reading {
  readonly format: FileFormat
  readonly date: string | null
  /** Names with commas between them. */
  readonly dimensions: string | null
  readonly property: string | null
  /** Whether a bulk export may leave less than half of a stored day, and what other files lack is gone. */
  readonly replaces: boolean
}

/** The same files were imported before, and no fact has changed since. */
export interface Unchanged extends Extent {
  readonly changed: 0
  /** Null where the site has no list. */
  readonly coverage: Coverage | null
  readonly dropped: Dropped
  readonly unchanged: true
}

/** The hash by which the same files, read in the same way, are recognised. */
export const nameOf = ({ date, dimensions, format, property, replaces }: Reading, digests: ReadonlyArray<Uint8Array>) =>
  hashOf([format, ...[date, dimensions, property].map((text) => text ?? ""), ...(replaces ? ["replace"] : [])], digests)

/** The newest day that a file may hold; later days are refused. */
const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** Imports files that an operator names or a caller sends. */
export class FileImports extends Effect.Service<FileImports>()("rankings/import/FileImports", {
  dependencies: [Imports.Default, ImportsRepo.Default],
  effect: Effect.gen(function* () {
    const imports = yield* Imports
    const log = yield* ImportsRepo

    const optionsOf = Effect.fnUntraced(function* (site: Site, { date, dimensions, property }: Reading) {
      const known = property === null ? undefined : Property.covering(property, site.host)
      // A property that does not cover the site is a mistake.
      if (known !== undefined && Either.isLeft(known)) return yield* new Refused({ message: known.left })
      return {
        host: site.host,
        origin: new URL(site.url).origin,
        notAfter: yield* today,
        ...(known === undefined ? {} : { property: known.right }),
        ...(date === null ? {} : { date }),
        ...(dimensions === null ? {} : { dimensions: dimensions.split(",").map((name) => name.trim()) })
      } satisfies Options
    })

    /** Imports what `read` decodes, all or nothing; `last` is the end of the transaction. Nothing is read of files that are known. */
    const run = Traced.fn("FileImports.run")(function* <E, R, E2 = never>(
      site: Site,
      reading: Reading,
      hash: string,
      read: (options: Options) => Stream.Stream<Load, E, R>,
      last: (imported: Imported) => Effect.Effect<void, E2> = () => Effect.void
    ) {
      const options = yield* optionsOf(site, reading)
      const before = yield* log.same({ hash, site: site.id })
      if (Option.isSome(before)) return { ...before.value, changed: 0, unchanged: true } satisfies Unchanged
      const request = { hash, renews: true, replaces: reading.replaces, site, source: reading.format }
      return yield* imports.load(request, read(options), last)
    })

    return { run }
  })
}) {}
