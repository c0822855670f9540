import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"

/** A command that needs the database. */
const stored = <Name extends string, R, E, A>(load: () => Promise<Command.Command<Name, R, E, A>>) =>
  Effect.zipWith(
    Effect.promise(load),
    Effect.promise(() => import("./database/Database.ts")),
    (command, Database) => command.pipe(Command.provide(Database.layer)),
    { concurrent: true }
  )

/** Each command's code is loaded when it is asked for: that of all takes longer to load than most of them to run. */
const commands = {
  accounts: stored(() => import("./accounts/Cli.ts").then(({ accounts }) => accounts)),
  keys: stored(() => import("./accounts/Cli.ts").then(({ keys }) => keys)),
  projects: stored(() => import("./projects/Cli.ts").then(({ projects }) => projects)),
  rankings: stored(() => import("./rankings/Cli.ts").then(({ rankings }) => rankings)),
  audits: stored(() => import("./audits/Cli.ts").then(({ audits }) => audits)),
  "site-health": stored(() => import("./sitehealth/Cli.ts").then(({ siteHealth }) => siteHealth)),
  "growth-projects": stored(() => import("./experiments/GrowthProjectsCli.ts").then((cli) => cli.growthProjects)),
  experiments: stored(() => import("./experiments/Cli.ts").then(({ experiments }) => experiments)),
  interventions: stored(() => import("./interventions/Cli.ts").then(({ interventions }) => interventions)),
  backlinks: stored(() => import("./backlinks/Cli.ts").then(({ backlinks }) => backlinks)),
  geo: stored(() => import("./visibility/Cli.ts").then(({ geo }) => geo)),
  events: stored(() => import("./webhooks/Cli.ts").then(({ events }) => events)),
  webhooks: Effect.promise(() => import("./webhooks/Cli.ts").then(({ webhooks }) => webhooks)),
  secrets: stored(() => import("./operator/Secrets.ts").then(({ secrets }) => secrets)),
  crawl: Effect.promise(() => import("./operator/Crawl.ts").then(({ crawl }) => crawl)),
  fixes: Effect.promise(() => import("./operator/Fixes.ts").then(({ fixes }) => fixes)),
  verify: Effect.promise(() => import("./operator/Verify.ts").then(({ verify }) => verify)),
  diff: Effect.promise(() => import("./operator/Diff.ts").then(({ diff }) => diff)),
  migrate: Effect.promise(() => import("./operator/Migrate.ts").then(({ migrate }) => migrate)),
  backup: Effect.promise(() => import("./operator/backup/Cli.ts").then(({ backup }) => backup)),
  restore: Effect.promise(() => import("./operator/backup/Cli.ts").then(({ restore }) => restore)),
  doctor: Effect.promise(() => import("./operator/Doctor.ts").then(({ doctor }) => doctor))
}

type Load = (typeof commands)[keyof typeof commands]

const isCommand = (word: string | undefined): word is keyof typeof commands =>
  word !== undefined && Object.hasOwn(commands, word)

/** The command that the line begins with; help, completions and whatever begins with none get all of them. */
export const asked = ([, , word, ...rest]: ReadonlyArray<string>): readonly [Load, ...Load[]] => {
  if (isCommand(word) && !rest.includes("--completions")) return [commands[word]]
  // The version is the same whatever the commands are.
  if (word === "--version") return [commands.migrate]
  const { accounts, ...others } = commands
  return [accounts, ...Object.values(others)]
}
