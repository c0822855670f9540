import * as Command from "@effect/cli/Command"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import { accounts, keys } from "./accounts/Cli.ts"
import { audits } from "./audits/Cli.ts"
import { backlinks } from "./backlinks/Cli.ts"
import * as Database from "./database/Database.ts"
import { experiments } from "./experiments/Cli.ts"
import { growthProjects } from "./experiments/GrowthProjectsCli.ts"
import { interventions } from "./interventions/Cli.ts"
import { run } from "./node/Run.ts"
import { crawl } from "./operator/Crawl.ts"
import { doctor } from "./operator/Doctor.ts"
import { migrate } from "./operator/Migrate.ts"
import { secrets } from "./operator/Secrets.ts"
import { projects } from "./projects/Cli.ts"
import { rankings } from "./rankings/Cli.ts"
import { siteHealth } from "./sitehealth/Cli.ts"
import { geo } from "./visibility/Cli.ts"
import { events, webhooks } from "./webhooks/Cli.ts"

const findable = Command.make("findable").pipe(
  Command.withSubcommands([
    accounts.pipe(Command.provide(Database.layer)),
    keys.pipe(Command.provide(Database.layer)),
    projects.pipe(Command.provide(Database.layer)),
    rankings.pipe(Command.provide(Database.layer)),
    audits.pipe(Command.provide(Database.layer)),
    siteHealth.pipe(Command.provide(Database.layer)),
    growthProjects.pipe(Command.provide(Database.layer)),
    experiments.pipe(Command.provide(Database.layer)),
    interventions.pipe(Command.provide(Database.layer)),
    backlinks.pipe(Command.provide(Database.layer)),
    geo.pipe(Command.provide(Database.layer)),
    events.pipe(Command.provide(Database.layer)),
    webhooks,
    secrets.pipe(Command.provide(Database.layer)),
    crawl,
    migrate,
    doctor
  ])
)

const main = Command.run(findable, { name: "findable", version: "0.1.0" })

run(Effect.suspend(() => main(process.argv)).pipe(Effect.provide(BunContext.layer)), BunRuntime.runMain)
