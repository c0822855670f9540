/** Platform adapter of the audit child: the optional package `lighthouse`, loaded only here and only when an audit runs. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { categories, lighthouseKey } from "../../Domain.ts"
import { at, text } from "../../report/Json.ts"
import { type AuditJob, ChildFailed } from "../RunDirectory.ts"

/** A variable, so that type checks do not need the optional package. */
const packageName: string = "lighthouse"

const failed = (detail: string) => new ChildFailed({ code: "lighthouse_error", detail })

const load = Effect.tryPromise({
  try: (): Promise<unknown> => import(packageName),
  catch: (error) => new ChildFailed({ code: "lighthouse_missing", detail: text(at(error, "message")) ?? "" })
})

/** Screenshots and the script treemap: large, and not part of an audit. */
const pictures = ["screenshot-thumbnails", "final-screenshot", "script-treemap-data"]

/** Runs Lighthouse on the browser at a debugging port; the answer is the report as JSON text. */
export const runLighthouse = Effect.fnUntraced(function* (job: AuditJob, port: number) {
  const lighthouse = yield* load
  const run = at(lighthouse, "default")
  if (!Predicate.isFunction(run)) return yield* failed("The package lighthouse has no known interface.")
  const flags = {
    port,
    output: "json",
    logLevel: "error",
    locale: "en",
    onlyCategories: categories.map((category) => lighthouseKey[category]),
    skipAudits: pictures,
    disableFullPageScreenshot: true
  }
  const config = job.device === "desktop" ? at(lighthouse, "desktopConfig") : undefined
  const result = yield* Effect.tryPromise({
    try: (): Promise<unknown> => run(job.url, flags, config),
    catch: (error) => failed(text(at(error, "code")) ?? text(at(error, "message")) ?? "Lighthouse failed.")
  })
  const report = text(at(result, "report"))
  if (report === null) return yield* failed("Lighthouse gave no report.")
  return report
})
