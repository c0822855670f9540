import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"

/** A command that needs the database of a server. */
const stored = <Name extends string, R, E, A>(load: () => Promise<Command.Command<Name, R, E, A>>) =>
  Effect.zipWith(
    Effect.promise(load),
    Effect.promise(() => import("../../foundation/database/Database.ts")),
    (command, Database) => command.pipe(Command.provide(Database.layerExisting)),
    { concurrent: true }
  )

const publish = stored(() => import("../../features/webhooks/Cli.ts").then(({ publish }) => publish))
const trigger = Effect.promise(() => import("./listen/Cli.ts").then(({ trigger }) => trigger))

/** Each command's code is loaded on demand, because all code takes longer to load than most commands run. */
const commands = {
  serve: Effect.promise(() => import("../node/Cli.ts").then(({ serve }) => serve)),
  console: stored(() => import("../node/Console.ts").then(({ enterConsole }) => enterConsole)),
  accounts: stored(() => import("../../features/accounts/Cli.ts").then(({ accounts }) => accounts)),
  keys: stored(() => import("../../features/accounts/Cli.ts").then(({ keys }) => keys)),
  projects: stored(() => import("../../features/projects/Cli.ts").then(({ projects }) => projects)),
  rankings: stored(() =>
    Promise.all([import("../../features/rankings/Cli.ts"), import("../../features/inspections/Cli.ts")]).then(
      ([{ rankings }, { inspect }]) => rankings(inspect)
    )
  ),
  audits: stored(() => import("../../features/audits/Cli.ts").then(({ audits }) => audits)),
  "site-health": stored(() => import("../../features/sitehealth/Cli.ts").then(({ siteHealth }) => siteHealth)),
  "growth-projects": stored(() =>
    import("../../features/experiments/GrowthProjectsCli.ts").then((cli) => cli.growthProjects)
  ),
  experiments: stored(() => import("../../features/experiments/Cli.ts").then(({ experiments }) => experiments)),
  interventions: stored(() => import("../../features/interventions/Cli.ts").then(({ interventions }) => interventions)),
  backlinks: stored(() => import("../../features/backlinks/Cli.ts").then(({ backlinks }) => backlinks)),
  geo: stored(() => import("../../features/visibility/Cli.ts").then(({ geo }) => geo)),
  events: Effect.zipWith(publish, trigger, (publish, trigger) =>
    Command.make("events").pipe(
      Command.withDescription("Send test events to webhook endpoints"),
      Command.withSubcommands([publish, trigger])
    )
  ),
  webhooks: Effect.map(
    Effect.promise(() => Promise.all([import("../../features/webhooks/Cli.ts"), import("./listen/Cli.ts")])),
    ([{ verify }, { listen }]) =>
      Command.make("webhooks").pipe(
        Command.withDescription("Test webhooks on your machine"),
        Command.withSubcommands([verify, listen])
      )
  ),
  mcp: Effect.promise(() => import("../mcp/Proxy.ts").then(({ mcp }) => mcp)),
  secrets: stored(() => import("./Secrets.ts").then(({ secrets }) => secrets)),
  crawl: Effect.promise(() => import("./Crawl.ts").then(({ crawl }) => crawl)),
  fixes: Effect.promise(() => import("./Diff.ts").then(({ fixes }) => fixes)),
  verify: Effect.promise(() => import("./Diff.ts").then(({ verify }) => verify)),
  diff: Effect.promise(() => import("./Diff.ts").then(({ diff }) => diff)),
  migrate: Effect.promise(() => import("./Migrate.ts").then(({ migrate }) => migrate)),
  backup: Effect.promise(() => import("./backup/Cli.ts").then(({ backup }) => backup)),
  restore: Effect.promise(() => import("./backup/Cli.ts").then(({ restore }) => restore)),
  doctor: Effect.promise(() => import("./Doctor.ts").then(({ doctor }) => doctor))
}

type Load = (typeof commands)[keyof typeof commands]

const isCommand = (word: string | undefined): word is keyof typeof commands =>
  word !== undefined && Object.hasOwn(commands, word)

/** The first command of the line; help, completions and any other line get all commands. */
export const asked = ([, , word, ...rest]: ReadonlyArray<string>): readonly [Load, ...Load[]] => {
  if (isCommand(word) && !rest.includes("--completions")) return [commands[word]]
  // The version needs no command.
  if (word === "--version") return [commands.migrate]
  const { serve, ...others } = commands
  return [serve, ...Object.values(others)]
}
