import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { option, readInput, repeatedOption } from "../../../foundation/terminal/Input.ts"
import { ProjectId } from "../../projects/Domain.ts"

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
