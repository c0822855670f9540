import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type CrawlEvent, CrawlResult, crawl as events } from "../crawl/Crawl.ts"
import { renderHtml } from "../crawl/console/HtmlReport.ts"
import { progressLine } from "../crawl/console/Progress.ts"
import { renderReport } from "../crawl/console/Terminal.ts"
import * as Guarded from "../outbound/Guarded.ts"
import { hasColor, isTerminal, replaceLine } from "../terminal/Console.ts"
import { json, print } from "../terminal/Output.ts"
import { option } from "../terminal/Typed.ts"

class CrawlRefused extends Data.TaggedError("CrawlRefused")<{ readonly message: string }> {}

const encode = Schema.encode(CrawlResult)

const Pages = Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 1000)).annotations({
  message: () => ({ message: "must be an integer from 1 to 1000", override: true })
})

const seedOf = (text: string) => {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  return url !== null && /^https?:$/.test(url.protocol)
    ? Effect.succeed(url)
    : new CrawlRefused({ message: `${text} is not an http or https address` })
}

/** Shows each event on the terminal's last line and keeps the report. */
const watched = (seed: URL, options: { readonly maxPages: number; readonly checkDeadLinks: boolean }) =>
  Effect.gen(function* () {
    const shown = yield* isTerminal
    const last = yield* events(seed, options).pipe(
      Stream.tap((event) => Effect.when(replaceLine(progressLine(event)), () => shown)),
      Stream.runFold(Option.none<CrawlEvent>(), (_, event) => Option.some(event)),
      Effect.ensuring(Effect.when(replaceLine(""), () => shown))
    )
    return yield* Option.isSome(last) && last.value._tag === "Finished"
      ? Effect.succeed(last.value.report)
      : new CrawlRefused({ message: "The crawl ended without a report" })
  })

/** `crawl URL`: the crawl of a site health run, here and now, without a database. */
export const crawl = Command.make(
  "crawl",
  {
    html: Options.optional(
      Options.file("html").pipe(Options.withDescription("write the report as a page to this file"))
    ),
    json,
    maxPages: option("max-pages", Pages).pipe(
      Options.withDefault(50),
      Options.withDescription("pages at most, 1 to 1000")
    ),
    noDeadLinks: Options.boolean("no-dead-links").pipe(Options.withDescription("do not check for dead links")),
    url: Args.text({ name: "URL" }).pipe(Args.withDescription("where to start; https:// is understood"))
  },
  ({ html, json, maxPages, noDeadLinks, url }) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const report = yield* watched(yield* seedOf(url), { checkDeadLinks: !noDeadLinks, maxPages })
      if (Option.isSome(html)) yield* fs.writeFileString(html.value, renderHtml(report))
      if (json) return yield* print(yield* encode(report), true)
      yield* Console.log(renderReport(report, { color: yield* hasColor }))
    })
).pipe(Command.withDescription("crawl a site and report on it, without a database"), Command.provide(Guarded.layer))
