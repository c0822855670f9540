import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { account } from "../accounts/AccountOption.ts"
import { readInput } from "../terminal/Input.ts"
import { json, print } from "../terminal/Output.ts"
import { NewProject } from "./Domain.ts"
import { Projects } from "./Projects.ts"

const readProject = readInput(NewProject)

const create = Command.make(
  "create",
  {
    account,
    json,
    name: Options.optional(Options.text("name").pipe(Options.withDescription("its name; the host by default"))),
    url: Options.text("url").pipe(Options.withDescription("any address of the site"))
  },
  ({ account, json, name, url }) =>
    Effect.gen(function* () {
      const projects = yield* Projects
      const project = yield* readProject({
        url,
        ...Option.match(name, { onNone: () => ({}), onSome: (name) => ({ name }) })
      })
      yield* print(yield* projects.create(account, project), json)
    })
).pipe(Command.withDescription("create the project of a site"))

/** `projects …` */
export const projects = Command.make("projects").pipe(
  Command.withDescription("sites"),
  Command.withSubcommands([create]),
  Command.provide(Projects.Default)
)
