import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { LeaseLost } from "../../../foundation/database/Lease.ts"
import { NotFound, type Refused } from "../../../foundation/schema/DomainError.ts"
import { importing, QueueRepo } from "../../files/Worker.ts"
import { FileFormat, Range } from "../Domain.ts"
import { FileImports, nameOf, type Unchanged } from "../import/FileImports.ts"
import type { Imported } from "../import/Imports.ts"
import type { ImportFailed } from "../RawRow.ts"
import { SitesRepo } from "../Site.ts"
import type { Outcome, UploadError } from "./Api.ts"
import * as DecodeProcess from "./decoder/DecodeProcess.ts"

/** Parameters for reading a file. */
const Terms = Schema.Struct({
  date: Schema.NullOr(Schema.String),
  dimensions: Schema.NullOr(Schema.String),
  format: FileFormat,
  property: Schema.NullOr(Schema.String),
  range: Schema.NullOr(Schema.typeSchema(Range)),
  replaces: Schema.Boolean
})

/** The internal name of a sent file. */
const fileName = "body"

/** The name of a sent file in messages: a file has no name, but the members of an archive have. */
const named = (file: string) => (file === fileName ? "The file" : file.replace(`${fileName}/`, ""))

/** The place of a problem by the sender's name; a single file has no name. */
const placeOf = ({ file, line }: ImportFailed) => {
  const place = [...(file === fileName ? [] : [named(file)]), ...(line === 0 ? [] : [`line ${line}`])].join(", ")
  return place === "" ? "The file cannot be imported" : `${place.charAt(0).toUpperCase()}${place.slice(1)}`
}

const failed = (code: UploadError["code"], message: string): UploadError => ({ code, file: null, line: null, message })

const errorOf = (error: DecodeProcess.DecodeFailed | ImportFailed | Refused): UploadError => {
  const { message } = error
  switch (error._tag) {
    case "ImportFailed":
      return {
        code: "invalid_file",
        file: error.file,
        line: error.line === 0 ? null : error.line,
        message: `${placeOf(error)}: ${error.reason}. Nothing was imported`
      }
    case "Refused":
      return failed("refused", message)
    case "DecodeFailed":
      return failed("import_failed", message)
  }
}

const outcomeOf = (imported: Imported | Unchanged): Outcome => {
  const { changed, coverage, dropped, first_day, incomplete_days, last_day, message, rows } = imported
  const common = { changed, coverage, dropped, first_day, incomplete_days, last_day, message, rows }
  if ("unchanged" in imported) return { ...common, passed_over: [], snapshots: [], unchanged: true }
  const { passed_over, snapshots } = imported
  return {
    ...common,
    passed_over,
    snapshots: snapshots.map((snapshot) => ({ ...snapshot, file: named(snapshot.file) })),
    unchanged: false
  }
}

const working = Effect.gen(function* () {
  const { decode } = yield* DecodeProcess.FileDecoder
  const files = yield* FileImports
  const sites = yield* SitesRepo

  yield* importing({
    failed,
    kind: "rankings",
    name: "import",
    run: ({ bytes, hash, project, terms }, record) =>
      Effect.gen(function* () {
        const site = yield* Effect.mapError(Effect.flatten(sites.find({ site: project })), () => NotFound.of("site"))
        const imported = yield* files.run(
          site,
          terms,
          nameOf(terms, [Uint8Array.fromHex(hash)]),
          (options) => decode({ file: fileName, format: terms.format, options }, bytes),
          (imported) => record(outcomeOf(imported)),
          named
        )
        return Either.right(outcomeOf(imported))
      }).pipe(
        Effect.catchTags({
          NotFound: () => new LeaseLost(),
          DecodeFailed: (error) => Effect.succeed(Either.left(errorOf(error))),
          ImportFailed: (error) => Effect.succeed(Either.left(errorOf(error))),
          Refused: (error) => Effect.succeed(Either.left(errorOf(error)))
        })
      ),
    Terms
  })
})

/** The worker with a given decoder of files. */
export const layerNoDeps = Layer.scopedDiscard(working).pipe(
  Layer.provide([FileImports.Default, QueueRepo.Default, SitesRepo.Default])
)

/** Imports the files that callers sent, until the scope closes. */
export const layer = Layer.provide(layerNoDeps, DecodeProcess.layer)
