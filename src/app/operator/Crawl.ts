import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type CrawlEvent, type CrawlOptions, crawl as crawlSite } from "../../crawl/Crawl.ts"
import { diffOf } from "../../crawl/diff/Diff.ts"
import { CrawlerUrl, HeaderLine, SiteHeaders, UserAgent } from "../../crawl/fetch/Headers.ts"
import { progressLine } from "../../crawl/formats/Terminal.ts"
import { RequestRate } from "../../crawl/politeness/HostLimiter.ts"
import * as Installed from "../../crawl/render/Installed.ts"
import { Render, type RenderingSummary } from "../../crawl/report/Rendering.ts"
import type { RunOptions } from "../../crawl/run/RunOptions.ts"
import { AddressGlob } from "../../crawl/visit/Visitor.ts"
import { findRenderer } from "../../foundation/browser/Settings.ts"
import * as Guarded from "../../foundation/outbound/Guarded.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { isWeb } from "../../foundation/schema/Scalars.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { isTerminal, json, option, repeatedOption, replaceLine, say } from "../../foundation/terminal/Output.ts"
import { Condition, formats, gate, needsBaseline, type Report, readWhole, rendered } from "./Reports.ts"

/** Crawls from a typed URL, which may be private, with progress on the terminal's last line, and returns the report. */
export const crawlWithProgress = (seed: URL, options: CrawlOptions) =>
  Effect.gen(function* () {
    const shown = yield* isTerminal
    const last = yield* crawlSite(seed, { ...options, crawlerUrl: yield* CrawlerUrl }).pipe(
      Stream.tap((event) => Effect.when(replaceLine(progressLine(event)), () => shown)),
      Stream.runFold(Option.none<CrawlEvent>(), (_, event) => Option.some(event)),
      Effect.ensuring(Effect.when(replaceLine(""), () => shown))
    )
    return yield* Option.isSome(last) && last.value._tag === "Finished"
      ? Effect.succeed(last.value.report)
      : new Refused({ message: "The crawl ended without a report. Please report this as a bug." })
  }).pipe(Effect.provide(Layer.merge(Guarded.layerFor(seed), Installed.configured)))

/** What a crawl renders: as it is asked for, where there is a browser; `always` without one is refused, which comes before any request. */
export const renderFor = (asked: Option.Option<Render>) =>
  Option.contains(asked, "never")
    ? Effect.succeed<Render>("never")
    : findRenderer.pipe(
        Effect.as(Option.getOrElse(asked, (): Render => "auto")),
        Effect.catchAll((error) => {
          if (Option.contains(asked, "always"))
            return new Refused({ message: `--render always needs a browser. ${error.message}` })
          const isChosen = error._tag === "RenderingOff" && Option.isNone(asked)
          return Effect.as(
            isChosen ? Effect.void : say(`JavaScript is not rendered. ${error.message}`),
            "never" as const
          )
        })
      )

/** What a recheck renders: as the crawl of its report did, where there is a browser. */
export const renderLike = (mode: RenderingSummary["mode"]) =>
  mode === "auto" || mode === "always"
    ? Effect.map(renderFor(Option.none()), (render) => (render === "never" ? render : mode))
    : Effect.succeed<Render>("never")

// How a crawl of the command line requests the pages of a site: options of all commands that crawl.

const isSiteHeaders = Schema.is(SiteHeaders)

/** `--header 'Name: value'`, repeatable; no message contains its values. */
const headers = Options.mapEffect(repeatedOption("header", HeaderLine, "field"), (fields) => {
  const named = Object.fromEntries(fields)
  const isTwice = Object.keys(named).length < fields.length || !isSiteHeaders(named)
  return isTwice
    ? Effect.fail(
        ValidationError.invalidValue(HelpDoc.p("--header names the same header field twice. Give each field once"))
      )
    : Effect.succeed(named)
}).pipe(
  Options.withDescription(
    "Header to send with every request to the site's own host and port, such as 'Cookie: a=b'. Other hosts never get it"
  )
)

const Rate = Schema.compose(Schema.NumberFromString, RequestRate).annotations({
  message: () => ({ message: "must be a number above 0 and at most 1000, such as 2 or 0.5", override: true })
})

/** Options of the commands that crawl. */
export const manners = {
  headers,
  rate: Options.optional(
    option("rate", Rate, "number").pipe(
      Options.withDescription(
        "Most requests per second, such as 2 or 0.5. A slower rate in robots.txt takes precedence"
      )
    )
  ),
  userAgent: Options.optional(
    option("user-agent", UserAgent).pipe(
      Options.withDescription("User-Agent to send. Its first name selects the group of robots.txt")
    )
  )
}

const glob = (name: "exclude" | "include", what: string) =>
  repeatedOption(name, AddressGlob, "glob").pipe(Options.withDescription(what))

/** Options that select the pages to crawl. */
export const globs = {
  exclude: glob("exclude", "Skip URLs whose path and query match this glob, such as /admin/* or *?sort=*"),
  include: glob("include", "Crawl only pages that match this glob, and the start URL. --exclude takes precedence")
}

/** Values of these options for the crawl. */
export const mannersOf = (given: {
  readonly headers: Readonly<Record<string, string>>
  readonly rate: Option.Option<number>
  readonly userAgent: Option.Option<string>
}): Pick<RunOptions, "headers" | "rate" | "userAgent"> => ({
  headers: given.headers,
  ...Option.match(given.rate, { onNone: () => ({}), onSome: (rate) => ({ rate }) }),
  ...Option.match(given.userAgent, { onNone: () => ({}), onSome: (userAgent) => ({ userAgent }) })
})

/** The crawl succeeded, and its issues fail the gate. */
class GateFailed extends Data.TaggedError("GateFailed")<{ readonly message: string; readonly exitCode: 2 }> {}

const Pages = Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 1000)).annotations({
  message: () => ({ message: "must be an integer from 1 to 1000", override: true })
})

const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i

/** Servers of this machine rarely speak TLS. */
const isLoopback = /^(?:localhost|[^/?#]+\.localhost|127\.[\d.]+|\[::1\])(?=[:/?#]|$)/i

const seedOf = (text: string) => {
  const url = URL.parse(hasScheme.test(text) ? text : `${isLoopback.test(text) ? "http" : "https"}://${text}`)
  if (url === null || !isWeb(url))
    return new Refused({ message: `${text} is not an http or https URL. Give a URL such as https://example.com` })
  if (url.username === "" && url.password === "") return Effect.succeed(url)
  const message = "The URL contains a user name or a password. Use --header 'Authorization: Basic …' instead."
  return new Refused({ message })
}

/** Checks the report against the conditions; null without conditions. */
const gateOf = (conditions: ReadonlyArray<string>, { diff, result }: Pick<Report, "diff" | "result">) =>
  conditions.length === 0
    ? Effect.succeed(null)
    : Effect.mapError(gate(conditions, result, diff), (message) => new Refused({ message }))

/** `crawl URL`: crawls like the server, immediately and without a database. */
export const crawl = Command.make(
  "crawl",
  {
    baseline: Options.optional(
      Options.file("baseline").pipe(Options.withDescription("Compare with this earlier report (from --format json)"))
    ),
    checkExternalLinks: Options.boolean("check-external-links").pipe(
      Options.withDescription("Also check links to other sites, up to 200")
    ),
    failOn: repeatedOption("fail-on", Condition).pipe(
      Options.withDescription(
        "Fail with exit code 2, for CI: critical, warning (and worse), info (and worse), new:critical (with --baseline), or score<N"
      )
    ),
    format: Options.optional(
      Options.choice("format", formats).pipe(Options.withDescription("Format of the report on stdout (default: text)"))
    ),
    html: Options.optional(
      Options.file("html").pipe(Options.withDescription("Also write the report as a web page to this file"))
    ),
    ...globs,
    ...manners,
    json,
    maxPages: option("max-pages", Pages).pipe(
      Options.withDefault(50),
      Options.withDescription("Most pages to crawl, 1 to 1000 (default: 50)")
    ),
    noDeadLinks: Options.boolean("no-dead-links").pipe(Options.withDescription("Skip the check for broken links")),
    render: Options.optional(
      Options.choice("render", Render.literals).pipe(
        Options.withDescription(
          "Render pages in a browser: auto, always or never (default: auto if a browser is installed)"
        )
      )
    ),
    renderPages: Options.optional(
      option("render-pages", Pages).pipe(
        Options.withDescription("Most pages to render, 1 to 1000 (default: all pages of the crawl, up to 50)")
      )
    ),
    url: Args.text({ name: "URL" }).pipe(
      Args.withDescription("Start URL. https:// is optional, and private hosts are allowed")
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
    render,
    renderPages,
    url,
    ...manners
  }) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const blind = Option.isNone(baseline) ? failOn.find(needsBaseline) : undefined
      if (blind !== undefined)
        return yield* new Refused({
          message: `--fail-on ${blind} needs an earlier report to compare with. Add --baseline FILE.`
        })
      const before = yield* Effect.transposeOption(Option.map(baseline, (file) => readWhole("The baseline", file)))
      const checks = { checkDeadLinks: !noDeadLinks, checkExternalLinks }
      const seed = yield* seedOf(url)
      const options = {
        ...checks,
        ...mannersOf(manners),
        exclude,
        include,
        maxPages,
        render: yield* renderFor(render),
        ...Option.match(renderPages, { onNone: () => ({}), onSome: (renderPages) => ({ renderPages }) })
      }
      const result = yield* crawlWithProgress(seed, options)
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
        return yield* new GateFailed({ exitCode: 2, message: `Failed by --fail-on ${reasons.join(". ")}` })
    })
).pipe(
  Command.withDescription(
    described(
      "Crawl a site now and print its issues. Needs no server and no database",
      "crawl https://example.com --max-pages 100 --html report.html",
      { 2: "A condition of --fail-on holds" }
    )
  )
)
