import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { readInput } from "../../foundation/terminal/Input.ts"
import { json, print } from "../../foundation/terminal/Output.ts"
import { account, listCommand } from "../accounts/AccountOption.ts"
import { NewProject, ProjectId } from "./Domain.ts"
import { OwnersRepo } from "./OwnersRepo.ts"
import { Projects } from "./Projects.ts"

const readProject = readInput(NewProject)

const create = Command.make(
  "create",
  {
    account,
    json,
    name: Options.optional(
      Options.text("name").pipe(Options.withDescription("name of the project; the host by default"))
    ),
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
).pipe(
  Command.withDescription(
    described("create the project of a site", "projects create --account $ACCOUNT --url https://example.com")
  )
)

const list = listCommand(
  (of) => Effect.flatMap(OwnersRepo, ({ all }) => all(of)),
  described("list projects, of one account or all", "projects list --account $ACCOUNT")
)

const remove = Command.make(
  "delete",
  { id: Args.text({ name: "ID" }).pipe(Args.withSchema(ProjectId), Args.withDescription("id of the project")), json },
  ({ id, json }) =>
    Effect.gen(function* () {
      const owners = yield* OwnersRepo
      const projects = yield* Projects
      const account = yield* owners.hold(id)
      yield* Effect.mapError(projects.remove(account, id), () => new Refused({ message: `There is no project ${id}` }))
      yield* print({ deleted: true, id }, json)
    })
).pipe(
  Command.withDescription(
    described(
      "delete a project with all that it owns; large data go in the background, by a worker",
      "projects delete 21a46884-9c1b-41fd-be45-33d19b689d42"
    )
  )
)

/** `projects …` */
export const projects = Command.make("projects").pipe(
  Command.withDescription("sites"),
  Command.withSubcommands([create, list, remove]),
  Command.provide(Layer.merge(OwnersRepo.Default, Projects.Default))
)
