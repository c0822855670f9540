import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Backlinks } from "../backlinks/Backlinks.ts"
import * as ReferringDomains from "../backlinks/ReferringDomains.ts"
import { ProjectId } from "../projects/Domain.ts"
import { refuse } from "../projects/OriginRefused.ts"
import { Text, Timestamp, WebAddress } from "../schema/Fields.ts"
import { json, print } from "../terminal/Output.ts"
import { argument, option } from "../terminal/Typed.ts"
import { Visibility } from "../visibility/Visibility.ts"
import * as VisibilityReading from "../visibility/VisibilityReading.ts"
import { Intervention, InterventionId } from "./Domain.ts"
import { Interventions } from "./Interventions.ts"

const project = option("project", ProjectId).pipe(Options.withDescription("id of the project"))

const at = Options.optional(
  option("at", Timestamp).pipe(Options.withDescription("when it happened, ISO 8601 with offset; now by default"))
)

const timeOf = Option.match<Effect.Effect<DateTime.Utc>, DateTime.Utc>({
  onNone: () => DateTime.now,
  onSome: Effect.succeed
})

const file = Args.file({ exists: "yes", name: "file" })

const text = (name: string, what: string) => option(name, Text).pipe(Options.withDescription(what))

const show = Schema.encode(Intervention)

const recordIntervention = Command.make(
  "record",
  {
    at,
    connector: text("connector", "content management system that it went through"),
    json,
    project,
    summary: text("summary", "what the fix changes"),
    url: option("url", WebAddress).pipe(Options.withDescription("page that was changed"))
  },
  ({ at, connector, json, project, summary, url }) =>
    Effect.gen(function* () {
      const { deploy } = yield* Interventions
      const deployedAt = yield* timeOf(at)
      yield* print(yield* show(yield* deploy({ connector, deployedAt, project, summary, url })), json)
    })
).pipe(Command.withDescription("record that an automated fix was deployed (intervention.deployed)"))

const rollBack = Command.make(
  "roll-back",
  {
    at,
    id: argument("id", InterventionId).pipe(Args.withDescription("id of the intervention")),
    json,
    reason: Options.optional(text("reason", "why, where known"))
  },
  ({ at, id, json, reason }) =>
    Effect.gen(function* () {
      const interventions = yield* Interventions
      const rollback = { id, reason: Option.getOrNull(reason), rolledBackAt: yield* timeOf(at) }
      yield* print(yield* show(yield* interventions.rollBack(rollback)), json)
    })
).pipe(Command.withDescription("record that it was taken back (intervention.rolled_back)"))

/** Reads a file by one of the readers of this room. */
const readFile = <A>(path: string, read: (text: string) => Either.Either<A, string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const content = yield* fs.readFileString(path)
    return yield* Effect.mapError(read(content), (problem) => refuse(`${path}: ${problem}`))
  })

const importBacklinks = Command.make("import", { at, file, json, project }, ({ at, file, json, project }) =>
  Effect.gen(function* () {
    const { record } = yield* Backlinks
    const domains = yield* readFile(file, ReferringDomains.read)
    yield* print(yield* record(project, yield* timeOf(at), domains), json)
  })
).pipe(Command.withDescription("record the domains that refer to a site, from CSV or JSON (backlink.lost)"))

const importVisibility = Command.make("import", { at, file, json, project }, ({ at, file, json, project }) =>
  Effect.gen(function* () {
    const { record } = yield* Visibility
    const readings = yield* readFile(file, VisibilityReading.read)
    yield* print(yield* record(project, yield* timeOf(at), readings), json)
  })
).pipe(Command.withDescription("record what AI engines say of a site's brand, from JSON (geo_score.changed)"))

/** `interventions …` */
export const interventions = Command.make("interventions").pipe(
  Command.withDescription("automated fixes"),
  Command.withSubcommands([recordIntervention, rollBack]),
  Command.provide(Interventions.Default)
)

/** `backlinks …` */
export const backlinks = Command.make("backlinks").pipe(
  Command.withDescription("referring domains"),
  Command.withSubcommands([importBacklinks]),
  Command.provide(Backlinks.Default)
)

/** `geo …` */
export const geo = Command.make("geo").pipe(
  Command.withDescription("visibility in AI engines"),
  Command.withSubcommands([importVisibility]),
  Command.provide(Visibility.Default)
)
