import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { described } from "../../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print, readInput, repeatedOption } from "../../../foundation/terminal/Output.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { ExperimentId } from "../Domain.ts"
import { Experiments } from "../Experiments.ts"
import { Assign } from "./Design.ts"

const readAssign = readInput(Assign)

const id = argument("id", ExperimentId).pipe(Args.withDescription("id of the experiment"))

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** `experiments assign` */
export const assign = Command.make(
  "assign",
  {
    id,
    json,
    pages: Options.optional(
      Options.fileText("pages").pipe(Options.withDescription("file with the paths of the pages, one a line"))
    ),
    pattern: Options.optional(
      Options.text("pattern").pipe(Options.withDescription("pattern of the pages, such as '/blog/*'"))
    ),
    seed: Options.optional(
      Options.text("seed").pipe(Options.withDescription("the same seed, pages and data give the same arms"))
    )
  },
  ({ id, json, pages, pattern, seed }) =>
    Effect.gen(function* () {
      const experiments = yield* Experiments
      const asked = yield* readAssign({
        ...Option.match(pages, { onNone: () => ({}), onSome: ([, text]) => ({ pages: linesOf(text) }) }),
        ...Option.match(pattern, { onNone: () => ({}), onSome: (pattern) => ({ pattern }) }),
        ...Option.match(seed, { onNone: () => ({}), onSome: (seed) => ({ seed }) })
      })
      yield* print(yield* experiments.assign(yield* experiments.ownerOf(id), id, asked), json)
    })
).pipe(
  Command.withDescription(
    described(
      "deal pages out to both arms of a designed draft",
      "experiments assign --pattern '/blog/*' 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `experiments power` */
export const power = Command.make("power", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    yield* print(yield* experiments.power(yield* experiments.ownerOf(id), id), json)
  })
).pipe(
  Command.withDescription(
    described(
      "show how large an effect must be for the design to find it",
      "experiments power 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

/** `experiments preview` */
export const preview = Command.make("preview", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    yield* print(yield* experiments.preview(yield* experiments.ownerOf(id), id), json)
  })
).pipe(
  Command.withDescription(
    described("look at a running experiment, to stop harm", "experiments preview 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11")
  )
)

const readJson = readInput(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

const text = (name: string, description: string) =>
  Options.optional(Options.text(name).pipe(Options.withDescription(description)))

const days = (name: string, description: string) =>
  Options.optional(Options.integer(name).pipe(Options.withDescription(description)))

/** The options of `experiments create` that make a design; a file has the same fields as the API, and options come before it. */
export const designOptions = Options.all({
  file: Options.optional(
    Options.fileText("design").pipe(Options.withDescription("JSON file with the design, as in the API"))
  ),
  site_id: Options.optional(
    option("site", ProjectId).pipe(Options.withDescription("design: id of the site whose page totals are compared"))
  ),
  metric: text("metric", "design: clicks or ctr"),
  treatment: text("treatment", "design: pattern of the changed pages, such as '/blog/*'"),
  control: text("control", "design: auto, or a pattern of the pages that stay as they are"),
  exclude: repeatedOption("exclude", Schema.String).pipe(
    Options.withDescription("design: path that is in no arm; may be repeated")
  ),
  change_date: text("change-date", "design: first day with the change, YYYY-MM-DD (Pacific time)"),
  pre_days: days("pre-days", "design: days before the change, 14, 28, 42, 56 or 84"),
  settle_days: days("settle-days", "design: days after the change that do not count, 0, 7, 14, 21 or 28"),
  post_days: days("post-days", "design: days after that, 14, 28, 42, 56 or 84")
})

type DesignOptions = typeof designOptions extends Options.Options<infer A> ? A : never

/** The design that the options ask for, to be read by the API's schema; undefined where none is. */
export const designOf = Effect.fnUntraced(function* ({ control, exclude, file, treatment, ...others }: DesignOptions) {
  const fromFile = yield* Effect.transposeMapOption(file, ([, content]) => readJson(content))
  const given = {
    ...Option.getOrElse(fromFile, () => ({})),
    ...Record.getSomes<string, string | number>(others),
    ...Option.match(treatment, { onNone: () => ({}), onSome: (pattern) => ({ treatment: { pattern } }) }),
    ...Option.match(control, {
      onNone: () => ({}),
      onSome: (pattern) => ({ control: pattern === "auto" ? pattern : { pattern } })
    }),
    ...(exclude.length === 0 ? {} : { exclude })
  }
  return Object.keys(given).length === 0 ? undefined : given
})
