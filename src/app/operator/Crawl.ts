import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { diffOf } from "../../crawl/diff/Diff.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { isWeb } from "../../foundation/schema/WebAddress.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { option, repeatedOption } from "../../foundation/terminal/Input.ts"
import { json } from "../../foundation/terminal/Output.ts"
import { crawlWithProgress } from "./Crawling.ts"
import { formats, type Report, rendered } from "./Formats.ts"
import { Condition, gate, needsBaseline } from "./Gate.ts"
import { globs, manners, mannersOf } from "./Manners.ts"
import { readWhole } from "./Reports.ts"

/** The crawl succeeded, and its findings fail the gate. */
class GateFailed extends Data.TaggedError("GateFailed")<{ readonly message: string; readonly exitCode: 2 }> {}

const Pages = Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 1000)).annotations({
  message: () => ({ message: "must be an integer from 1 to 1000", override: true })
})

const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i

/** Servers of this machine rarely speak TLS. */
const isLoopback = /^(?:localhost|[^/?#]+\.localhost|127\.[\d.]+|\[::1\])(?=[:/?#]|$)/i

const seedOf = (text: string) => {
  const url = URL.parse(hasScheme.test(text) ? text : `${isLoopback.test(text) ? "http" : "https"}://${text}`)
  if (url === null || !isWeb(url)) return new Refused({ message: `${text} is not an http or https address` })
  if (url.username === "" && url.password === "") return Effect.succeed(url)
  const message = "The address names a user or a password. Give --header 'Authorization: Basic …' instead"
  return new Refused({ message })
}

/** Judges the report by the conditions; `failed` is null when there are none. */
const gateOf = (conditions: ReadonlyArray<string>, { diff, result }: Pick<Report, "diff" | "result">) =>
  conditions.length === 0
    ? Effect.succeed(null)
    : Effect.mapError(gate(conditions, result, diff), (message) => new Refused({ message }))

/** `crawl URL`: the crawl of a site health run, here and now, without a database. */
export const crawl = Command.make(
  "crawl",
  {
    baseline: Options.optional(
      Options.file("baseline").pipe(Options.withDescription("compare with this earlier report (--format json)"))
    ),
    checkExternalLinks: Options.boolean("check-external-links").pipe(
      Options.withDescription("ask for pages of other sites that links lead to, 200 at most")
    ),
    failOn: repeatedOption("fail-on", Condition).pipe(
      Options.withDescription("exit with 2 on critical, warning (critical included), info, new:critical, … or score<N")
    ),
    format: Options.optional(
      Options.choice("format", formats).pipe(Options.withDescription("format of the report on stdout; default text"))
    ),
    html: Options.optional(
      Options.file("html").pipe(Options.withDescription("write the report as a page to this file"))
    ),
    ...globs,
    ...manners,
    json,
    maxPages: option("max-pages", Pages).pipe(
      Options.withDefault(50),
      Options.withDescription("pages at most, 1 to 1000")
    ),
    noDeadLinks: Options.boolean("no-dead-links").pipe(Options.withDescription("do not check for dead links")),
    url: Args.text({ name: "URL" }).pipe(
      Args.withDescription("URL where the crawl starts, private ones too; https:// may be left out")
    )
  },
  ({
    baseline,
    checkExternalLinks,
    exclude,
    failOn,
    format,
    html,
    include,
    json,
    maxPages,
    noDeadLinks,
    url,
    ...manners
  }) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const blind = Option.isNone(baseline) ? failOn.find(needsBaseline) : undefined
      if (blind !== undefined) return yield* new Refused({ message: `--fail-on ${blind} needs --baseline` })
      const before = yield* Effect.transposeOption(Option.map(baseline, (file) => readWhole("The baseline", file)))
      const checks = { checkDeadLinks: !noDeadLinks, checkExternalLinks }
      const options = { ...checks, ...mannersOf(manners), exclude, include, maxPages }
      const result = yield* crawlWithProgress(yield* seedOf(url), options)
      const diff = Option.getOrNull(Option.map(before, (old) => diffOf(old, result)))
      const failed = yield* Effect.either(gateOf(failOn, { diff, result }))
      const report = { diff, failed: failed._tag === "Right" ? failed.right : null, result }
      if (Option.isSome(html)) yield* fs.writeFileString(html.value, yield* rendered("html", report))
      yield* Console.log(
        yield* rendered(
          Option.getOrElse(format, () => (json ? "json" : "text")),
          report
        )
      )
      const reasons = (yield* failed) ?? []
      if (reasons.length > 0)
        return yield* new GateFailed({ exitCode: 2, message: `The gate failed. ${reasons.join(". ")}` })
    })
).pipe(
  Command.withDescription(
    described(
      "crawl a site and report on it, without a database",
      "crawl https://example.com --max-pages 100 --html report.html"
    )
  )
)
