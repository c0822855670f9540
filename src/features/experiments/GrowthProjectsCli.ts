import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, print, readInput } from "../../foundation/terminal/Output.ts"
import { account, listCommand } from "../accounts/Cli.ts"
import { GrowthProjects } from "./GrowthProjects.ts"
import { DomainName } from "./GrowthProjectsApi.ts"

const readGrowthProject = readInput(Schema.Struct({ domain: DomainName }))

const create = Command.make(
  "create",
  {
    account,
    domain: Options.text("domain").pipe(Options.withDescription("Domain of the site, or any URL on it")),
    json
  },
  ({ account, domain, json }) =>
    Effect.gen(function* () {
      const growthProjects = yield* GrowthProjects
      const read = yield* readGrowthProject({ domain })
      yield* print(yield* growthProjects.create(yield* account, read.domain), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Add the domain of a site, so that you can create experiments on it",
      "growth-projects create --account $ACCOUNT --domain example.com"
    )
  )
)

const list = listCommand(
  (of) => Effect.flatMap(GrowthProjects, ({ list }) => list(of)),
  described("List the domains for experiments of one account, or of all", "growth-projects list --account $ACCOUNT")
)

/** `growth-projects …` */
export const growthProjects = Command.make("growth-projects").pipe(
  Command.withDescription("Manage the domains for experiments"),
  Command.withSubcommands([create, list]),
  Command.provide(GrowthProjects.Default)
)
