import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { NotFound, Refused } from "../../foundation/schema/DomainError.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, option, print, readInput } from "../../foundation/terminal/Output.ts"
import { account, listCommand } from "../accounts/Cli.ts"
import { NewProject, ProjectId } from "./Domain.ts"
import { OwnersRepo, Projects, unknownSite } from "./Projects.ts"

const readProject = readInput(NewProject)

const create = Command.make(
  "create",
  {
    account,
    json,
    name: Options.optional(Options.text("name").pipe(Options.withDescription("Name of the site (default: its host)"))),
    url: Options.text("url").pipe(Options.withDescription("Any URL of the site, such as https://example.com"))
  },
  ({ account, json, name, url }) =>
    Effect.gen(function* () {
      const projects = yield* Projects
      const project = yield* readProject({
        url,
        ...Option.match(name, { onNone: () => ({}), onSome: (name) => ({ name }) })
      })
      yield* print(yield* projects.create(yield* account, project), json)
    })
).pipe(
  Command.withDescription(
    described("Add a site to crawl and measure", "projects create --account $ACCOUNT --url https://example.com")
  )
)

const list = listCommand(
  (of) => Effect.flatMap(OwnersRepo, ({ all }) => all(of)),
  described("List the sites of one account, or of all", "projects list --account $ACCOUNT")
)

/** No site has this id. */
export const noSite = (id: ProjectId) => new NotFound({ message: unknownSite(id) })

const remove = Command.make(
  "delete",
  {
    id: Args.text({ name: "ID" }).pipe(
      Args.withSchema(ProjectId),
      Args.withDescription("ID of the site, from `projects list`")
    ),
    json
  },
  ({ id, json }) =>
    Effect.gen(function* () {
      const owners = yield* OwnersRepo
      const projects = yield* Projects
      const account = yield* owners.hold(id)
      yield* Effect.mapError(projects.remove(account, id), () => noSite(id))
      yield* print({ deleted: true, id }, json)
    })
).pipe(
  Command.withDescription(
    described(
      "Delete a site and all of its data. A worker removes large data in the background",
      "projects delete 21a46884-9c1b-41fd-be45-33d19b689d42"
    )
  )
)

/** `projects …` */
export const projects = Command.make("projects").pipe(
  Command.withDescription("Manage sites"),
  Command.withSubcommands([create, list, remove]),
  Command.provide(Layer.merge(OwnersRepo.Default, Projects.Default))
)

/** `--project ID`: the site of a command. */
export const project = option("project", ProjectId).pipe(
  Options.withDescription("ID of the site, from `projects list`")
)

/** `--at TIME` */
export const at = Options.optional(
  option("at", Moment).pipe(Options.withDescription("When it happened, such as 2026-11-20T09:00:00Z (default: now)"))
)

/** The given time, or now. */
export const timeOf = Option.match<Effect.Effect<DateTime.Utc>, DateTime.Utc>({
  onNone: () => DateTime.now,
  onSome: Effect.succeed
})

/** The file of an observation. */
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
