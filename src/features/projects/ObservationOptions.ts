import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { Moment } from "../../foundation/schema/Timestamp.ts"
import { option } from "../../foundation/terminal/Input.ts"
import { json, print } from "../../foundation/terminal/Output.ts"
import { ProjectId } from "./Domain.ts"

/** `--project ID`: the observed site. */
export const project = option("project", ProjectId).pipe(Options.withDescription("id of the project"))

/** `--at TIME` */
export const at = Options.optional(
  option("at", Moment).pipe(Options.withDescription("when it happened, ISO 8601 with offset; now by default"))
)

/** The time that was given, or now. */
export const timeOf = Option.match<Effect.Effect<DateTime.Utc>, DateTime.Utc>({
  onNone: () => DateTime.now,
  onSome: Effect.succeed
})

/** The file with the observation. */
const file = Args.file({ exists: "yes", name: "file" })

/** Reads a file with the parser of its format. */
const readFile = <A>(path: string, read: (text: string) => Either.Either<A, string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const content = yield* fs.readFileString(path)
    return yield* Effect.mapError(read(content), (problem) => new Refused({ message: `${path}: ${problem}` }))
  })

/** A room that records observations of a project. */
interface Recorder<A, B, E, R> {
  readonly record: (project: ProjectId, at: DateTime.Utc, observation: A) => Effect.Effect<B, E, R>
}

/** `import --project ID FILE`: reads an observation and records it. */
export const importCommand = <I, A, B, E, R>(
  room: Effect.Effect<Recorder<A, B, E, R>, never, I>,
  read: (text: string) => Either.Either<A, string>,
  help: HelpDoc.HelpDoc
) =>
  Command.make("import", { at, file, json, project }, ({ at, file, json, project }) =>
    Effect.gen(function* () {
      const { record } = yield* room
      const observation = yield* readFile(file, read)
      yield* print(yield* record(project, yield* timeOf(at), observation), json)
    })
  ).pipe(Command.withDescription(help))
