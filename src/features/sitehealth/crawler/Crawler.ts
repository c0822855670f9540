import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CrawlEvent, CrawlOptions } from "../../../crawl/Crawl.ts"
import { Counters, CrawlFailed, CrawlResult } from "../../../crawl/report/CrawlResult.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import { Render } from "../../../crawl/report/Rendering.ts"
import { clearFolders, temporaryFolder } from "../../../foundation/browser/Folders.ts"
import { variable } from "../../../foundation/outbound/Address.ts"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import { isConfigured } from "../../../foundation/outbound/OutboundLive.ts"
import * as Child from "../../../foundation/process/Child.ts"
import { shortLived } from "../../../foundation/terminal/ShortLived.ts"

/** The job of a crawl's process: the first line of its standard input. */
export const CrawlJob = Schema.Struct({
  url: Schema.String,
  max_pages: Schema.Int,
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean,
  /** Which pages are rendered; `auto` when absent. */
  render: Schema.optionalWith(Render, { exact: true }),
  seconds: Schema.Number,
  /** Page that explains the crawler, for its user agent. */
  crawler_url: Schema.NullOr(Schema.URL),
  /** The part of the site to crawl; all of it when absent. */
  only: Schema.optionalWith(
    Schema.Struct({
      urls: Schema.Array(Schema.String),
      linksOf: Schema.Array(Schema.String),
      checksOf: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
    }),
    { exact: true }
  )
})
export type CrawlJob = typeof CrawlJob.Type

/** The crawl options of a job. */
export const optionsOf = (job: CrawlJob): CrawlOptions => ({
  crawlerUrl: job.crawler_url,
  checkDeadLinks: job.check_dead_links,
  checkExternalLinks: job.check_external_links,
  deadline: `${job.seconds} seconds`,
  maxPages: job.max_pages,
  only: job.only,
  ...(job.render === undefined ? {} : { render: job.render })
})

const code = Schema.Literal("start_unreachable", "start_refused", "start_redirects_offsite", "crawl_failed")

/** The messages of the process, one per line. The pages of the report come one by one before the rest, so the reader decodes one page at a time. */
export const Message = Schema.Union(
  Schema.TaggedStruct("Phase", { phase: Schema.Literal("preparing", "crawling", "analysing") }),
  Schema.TaggedStruct("Page", { page: MeasuredPage, counters: Counters }),
  Schema.TaggedStruct("Entry", { page: MeasuredPage }),
  Schema.TaggedStruct("Finished", { report: CrawlResult }),
  Schema.TaggedStruct("Failed", { code, message: Schema.String })
)
export type Message = typeof Message.Type

export const JobLine = Schema.parseJson(CrawlJob)
export const MessageLine = Schema.parseJson(Message)

/** Platform adapter: the program of the crawl's process, next to this file. */

const script = new URL("child/main.ts", import.meta.url)

/** The process that reads foreign pages inherits nothing else of this environment: no keys, no database URL, no proxies. */
const inherited = [
  "CHROME_PATH",
  "FINDABLE_RENDER",
  "FONTCONFIG_PATH",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "TMPDIR",
  variable
]

const ended = new CrawlFailed({
  code: "crawl_failed",
  message: "The process of this crawl ended before its result. Start a new crawl."
})

/** The crawl's events from the messages of its process; collects the pages of the report until the rest arrives. */
const events = (messages: Stream.Stream<Message>): Stream.Stream<CrawlEvent, CrawlFailed> =>
  Stream.suspend(() => {
    const pages: Array<MeasuredPage> = []
    let finished = false
    const received = Stream.filterMapEffect(
      messages,
      (message): Option.Option<Effect.Effect<CrawlEvent, CrawlFailed>> => {
        switch (message._tag) {
          case "Entry":
            pages.push(message.page)
            return Option.none()
          case "Failed":
            return Option.some(new CrawlFailed({ code: message.code, message: message.message }))
          case "Finished":
            finished = true
            return Option.some(Effect.succeed({ ...message, report: { ...message.report, pages } }))
          default:
            return Option.some(Effect.succeed(message))
        }
      }
    )
    return Stream.concat(
      received,
      Stream.suspend(() => (finished ? Stream.empty : Stream.fail(ended)))
    )
  })

/** Where a crawl's process and its browser write, until both have ended. The browser may run as another user, who must get through. */
const ownFolder = Effect.tap(temporaryFolder("crawl"), (folder) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.chmod(folder, 0o711))
)

const start = Effect.fnUntraced(function* (job: CrawlJob, env: Readonly<Record<string, string>>) {
  const line = yield* Schema.encode(JobLine)(job)
  const folder = yield* Effect.option(ownFolder)
  const own = Option.match(folder, { onNone: () => ({}), onSome: (path) => ({ TMPDIR: path }) })
  // The input stays open while this process lives: its end tells the child that the reader is gone.
  const input = Stream.concat(Stream.encodeText(Stream.make(`${line}\n`)), Stream.never)
  const child = yield* Child.start({ environment: { ...shortLived, ...env, ...own }, input, script })
  const messages = child.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.mapEffect(Schema.decode(MessageLine)),
    Stream.orDie
  )
  return events(messages)
})

/** Crawls in separate processes, which cost the caller's process nothing. */
const make = Effect.gen(function* () {
  const executor = yield* CommandExecutor.CommandExecutor
  const files = yield* FileSystem.FileSystem
  const env = yield* Child.inherited(inherited)
  yield* clearFolders
  return (job: CrawlJob) =>
    Stream.unwrapScoped(
      start(job, env).pipe(
        Effect.provideService(CommandExecutor.CommandExecutor, executor),
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.catchAll((error) =>
          Effect.zipRight(Effect.logError("The process of a crawl did not start", error), ended)
        )
      )
    )
}).pipe(Effect.provide(BunContext.layer))

/** Crawls sites for runs: a port, because a hostile site must not slow down the process that answers requests. */
export class Crawler extends Context.Tag("sitehealth/Crawler")<
  Crawler,
  {
    /** The events of one crawl, which ends with its stream. */
    readonly crawl: (job: CrawlJob) => Stream.Stream<CrawlEvent, CrawlFailed>
  }
>() {}

/** Crawls in this process over its own client; the first crawl loads the crawl's code. */
const here = (outbound: Context.Tag.Service<Outbound>) => (job: CrawlJob) =>
  Stream.unwrap(
    Effect.map(
      Effect.promise(() =>
        Promise.all([import("../../../crawl/Crawl.ts"), import("../../../crawl/render/Installed.ts")])
      ),
      ([{ crawl }, { configured }]) =>
        crawl(new URL(job.url), optionsOf(job)).pipe(
          Stream.provideService(Outbound, outbound),
          Stream.provideSomeLayer(Layer.orDie(Layer.provide(configured, BunContext.layer)))
        )
    )
  )

/**
 * Crawls in separate processes with the configured client; if an embedding program brings its own client, which cannot be recreated there, crawls run in this
 * process and send all requests through it.
 */
export const layer = Layer.effect(
  Crawler,
  Effect.gen(function* () {
    const outbound = yield* Outbound
    const apart = yield* make
    return Crawler.of({ crawl: isConfigured(outbound) ? apart : here(outbound) })
  })
)
