import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import { described } from "../../../../foundation/terminal/Help.ts"
import { argument, readInput } from "../../../../foundation/terminal/Input.ts"
import { json, print } from "../../../../foundation/terminal/Output.ts"
import { account } from "../../../accounts/AccountOption.ts"
import { project } from "../../../projects/ObservationOptions.ts"
import { PromptId } from "../Domain.ts"
import { NewPrompt, promptsAtMost } from "./Prompt.ts"
import { Prompts } from "./Prompts.ts"

const readPrompt = readInput(NewPrompt)

const add = Command.make(
  "add",
  {
    account,
    json,
    locale: Options.text("locale").pipe(
      Options.withDefault("en-US"),
      Options.withDescription("language, with or without a region; en-US by default")
    ),
    project,
    text: Args.text({ name: "text" })
  },
  ({ account, json, locale, project, text }) =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      const { prompt } = yield* prompts.create(account, project, yield* readPrompt({ locale, text }))
      yield* print(prompt, json)
    })
).pipe(
  Command.withDescription(
    described(
      "add a question that runs ask",
      'geo prompts add --account $ACCOUNT --project $PROJECT "Which running shoes last longest?"'
    )
  )
)

const list = Command.make("list", { account, json, project }, ({ account, json, project }) =>
  Effect.gen(function* () {
    const prompts = yield* Prompts
    yield* print(yield* prompts.list(account, project, { after: undefined, count: promptsAtMost }), json)
  })
).pipe(
  Command.withDescription(
    described("list the questions of a project", "geo prompts list --account $ACCOUNT --project $PROJECT")
  )
)

const remove = Command.make(
  "remove",
  { account, id: argument("id", PromptId), json, project },
  ({ account, id, json, project }) =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      yield* prompts.remove(account, project, id)
      yield* print({ id }, json)
    })
).pipe(
  Command.withDescription(
    described(
      "delete a question; its answers stay",
      "geo prompts remove --account $ACCOUNT --project $PROJECT 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `geo prompts …` */
export const prompts = Command.make("prompts").pipe(
  Command.withDescription("what AI engines are asked"),
  Command.withSubcommands([add, list, remove]),
  Command.provide(Prompts.Default)
)
