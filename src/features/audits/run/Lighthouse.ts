import * as Command from "@effect/platform/Command"
import type * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Outbound, type OutboundError } from "../../../foundation/outbound/Outbound.ts"
import * as Child from "../../../foundation/process/Child.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { type AuditFailure, type AuditFailureCode, Device } from "../Domain.ts"
import { connectionRefused, failureOfCode, type LighthouseReport } from "../report/LighthouseReport.ts"
import { plain, readLighthouse } from "../report/ReadLighthouse.ts"
import { maxReportBytes, parseReport } from "../report/ReadPsi.ts"
import { AuditTimeout, ChromePath } from "../Settings.ts"
import { endpointOf, guardProxy } from "./Proxy.ts"

/** The job that the parent writes into the directory of a run for its child process. */
export const AuditJob = Schema.parseJson(
  Schema.Struct({
    url: Schema.String,
    device: Device,
    browser: Schema.String,
    /** Port of the guard proxy. */
    proxy: Schema.Int
  })
)
export type AuditJob = typeof AuditJob.Type

/** The child's failure without a report; `detail` is for the log, or the code of a Lighthouse error. */
export const ChildFailure = Schema.parseJson(
  Schema.Struct({
    code: Schema.Literal("browser_failed", "lighthouse_missing", "lighthouse_error"),
    detail: Schema.String
  })
)
export type ChildFailure = typeof ChildFailure.Type

/** Files of a run's directory. */
export const runFiles = { job: "job.json", report: "report.json", failure: "failure.json", profile: "profile" } as const

/** Why the child process has no report. */
export class ChildFailed extends Data.TaggedError("ChildFailed")<ChildFailure> {}

/** Killed processes may hold files for a moment. */
const patience = Schedule.spaced("50 millis").pipe(Schedule.intersect(Schedule.recurs(40)))

/** Removes the directory of a run with its content. */
export const removeDirectory = (files: FileSystem.FileSystem, directory: string) =>
  Effect.retry(files.remove(directory, { recursive: true, force: true }), patience)

/** A directory for one run, removed with its content when the scope ends. */
const runDirectory = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.acquireRelease(
    files.makeTempDirectory({ prefix: `findable-audit-${process.pid}-` }),
    (directory) =>
      Effect.catchAll(removeDirectory(files, directory), () =>
        Effect.logWarning("The temporary directory of an audit could not be removed")
      )
  )
})

/** A run without a report; a failed audit records `failure`. */
export class AuditRunFailed extends Data.TaggedError("AuditRunFailed")<{ readonly failure: AuditFailure }> {
  override get message(): string {
    return this.failure.message
  }
}

/** A failed run without a Lighthouse code. */
export const runFailed = (code: AuditFailureCode, message: string): AuditRunFailed =>
  new AuditRunFailed({ failure: { code, message, lighthouse_code: null } })

/** The failure to record for a failure of the audit child. Its detail may quote the page and only goes to the log. */
export const childFailure = (code: ChildFailure["code"], detail: string): AuditRunFailed => {
  switch (code) {
    case "browser_failed":
      return runFailed(code, "The browser did not start, or stopped too early.")
    case "lighthouse_missing":
      return runFailed(
        code,
        "The optional package lighthouse is not installed: install Findable with optional dependencies."
      )
    case "lighthouse_error":
      return new AuditRunFailed({ failure: failureOfCode(detail) })
  }
}

/** Platform adapter: starts the audit child with this program's own runtime (`process.execPath`). */

const script = Bun.fileURLToPath(new URL("child/main.ts", import.meta.url))

/** The browser inherits no other part of this process's environment: no keys, no database URL, no proxies. */
const inherited = ["FONTCONFIG_PATH"]

const environment = (directory: string) =>
  Effect.map(Child.inherited(inherited), (settings) => ({
    ...settings,
    HOME: directory,
    TMPDIR: directory,
    LANG: "C.UTF-8"
  }))

const lastLine = (text: string): string => plain(text.trim().split("\n").at(-1) ?? "", 300)

/**
 * Runs the audit child in a directory to its end, and returns the last line that it or the browser wrote to stderr. The end of the scope, early or not, kills
 * the whole process group (child and browser).
 */
const runChild = Effect.fnUntraced(function* (directory: string) {
  const command = Command.make(process.execPath, script, directory).pipe(
    Command.workingDirectory(directory),
    Command.env(yield* environment(directory), { extendEnv: false })
  )
  const child = yield* Command.start(command)
  const kill = Effect.ignore(child.kill("SIGKILL"))
  yield* Effect.addFinalizer(() => kill)
  yield* Effect.forkScoped(Stream.runDrain(child.stdout))
  const complaints = yield* Ref.make("")
  yield* child.stderr.pipe(
    Stream.decodeText(),
    Stream.runForEach((text) => Ref.update(complaints, (kept) => (kept + text).slice(-4_096))),
    Effect.forkScoped
  )
  yield* Effect.ignore(child.exitCode)
  return lastLine(yield* Ref.get(complaints))
})

interface Options {
  readonly profile: string
  /** The sandbox needs a user other than root. */
  readonly root: boolean
  /** Port of the guard proxy on 127.0.0.1. */
  readonly proxy: number
}

/** Features that call home, change the page, or prompt. */
const unwanted = [
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "GlobalMediaControls",
  "InterestFeedContentSuggestions",
  "MediaRouter",
  "OptimizationHints",
  "Translate"
]

/** Everything goes through the proxy, loopback addresses too; the browser resolves no names itself, and UDP, which SOCKS cannot carry, is not sent. */
const guarded = (proxy: number) => [
  `--proxy-server=socks5://127.0.0.1:${proxy}`,
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp"
]

/** Arguments of a browser that measures one page: quiet, without extensions or caches, on a profile of its own, behind the guard proxy. */
export const chromiumFlags = ({ profile, proxy, root }: Options): ReadonlyArray<string> => [
  "--headless=new",
  "--remote-debugging-port=0",
  "--remote-debugging-address=127.0.0.1",
  `--user-data-dir=${profile}`,
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--no-pings",
  ...guarded(proxy),
  "--disable-background-networking",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-hang-monitor",
  "--disable-popup-blocking",
  "--disable-prompt-on-repost",
  "--disable-sync",
  `--disable-features=${unwanted.join(",")}`,
  "--deny-permission-prompts",
  "--metrics-recording-only",
  "--mute-audio",
  "--password-store=basic",
  "--safebrowsing-disable-auto-update",
  "--use-mock-keychain",
  ...(root ? ["--no-sandbox"] : []),
  "about:blank"
]

/** Platform adapter: what this machine audits with, as far as that shows without starting anything (`Bun.resolveSync`). */

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "chrome.exe"]

const places = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe"
]

const missing = "No Chromium found. Install it (Debian: apt-get install chromium), or set CHROME_PATH to the program."

/** The Chromium of this machine: `CHROME_PATH`, else the usual names on `PATH`, else the usual places. */
export const findChromium = Traced.fn("Audits.findChromium")(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const isFile = (candidate: string) =>
    files.stat(candidate).pipe(
      Effect.map((info) => info.type === "File"),
      Effect.orElseSucceed(() => false)
    )
  const chosen = yield* ChromePath.pipe(Effect.orElseSucceed(Option.none<string>))
  if (Option.isSome(chosen)) {
    if (yield* isFile(chosen.value)) return chosen.value
    return yield* runFailed("browser_missing", "CHROME_PATH is not the path of a file.")
  }
  const search = yield* Config.string("PATH").pipe(Effect.orElseSucceed(() => ""))
  const directories = search.split(search.includes(";") ? ";" : ":").filter((directory) => path.isAbsolute(directory))
  const candidates = [...names.flatMap((name) => directories.map((directory) => path.join(directory, name))), ...places]
  const found = yield* Effect.findFirst(candidates, isFile)
  if (Option.isSome(found)) return found.value
  return yield* runFailed("browser_missing", missing)
})

const findLighthouse = Effect.try({
  try: () => Bun.resolveSync("lighthouse", import.meta.dir),
  catch: () => childFailure("lighthouse_missing", "")
})

/** Fails with the missing program, in one sentence. */
export const checkEquipment = Effect.asVoid(Effect.zipRight(Effect.suspend(findChromium), findLighthouse))

/** Produces a Lighthouse report of a page, in a separate process that ends with the effect. */
export class Lighthouse extends Context.Tag("audits/run/Lighthouse")<
  Lighthouse,
  { readonly run: (url: URL, device: Device) => Effect.Effect<LighthouseReport, AuditRunFailed> }
>() {}

const refused = ({ reason }: OutboundError, why: string): AuditRunFailed => {
  if (reason === "blocked_url" || reason === "blocked_address")
    return runFailed("address_refused", `The page is on a private network, which this server does not visit${why}.`)
  return reason === "dns"
    ? runFailed("dns_failure", "DNS lookup found no address for the host of the page.")
    : runFailed("page_unreachable", "The page could not be loaded.")
}

/** Checks a page's URL before starting a browser. The proxy checks every connection, but cannot say why it refuses one. */
const vetPage = Traced.fn("Audits.vetPage")(function* (url: URL) {
  const outbound = yield* Outbound
  yield* Effect.mapError(outbound.vet(url), (error) => refused(error, `: ${error.message}`))
})

/** Checks every URL of a report's page: Findable must not reveal a report about a forbidden redirect target, or the target itself. */
export const vetReport = (report: LighthouseReport): Effect.Effect<void, AuditRunFailed, Outbound> =>
  Effect.flatMap(Outbound, (outbound) =>
    Effect.forEach(
      new Set(report.addresses),
      (address) => Effect.mapError(outbound.vet(new URL(address)), (error) => refused(error, "")),
      { discard: true }
    )
  )

const encodeJob = Schema.encode(AuditJob)
const decodeFailure = Schema.decode(ChildFailure)

/** A failing file system or process is a fault of the installation, not of the page. */
const broken = () => runFailed("browser_failed", "The audit process could not be run on this machine.")

const readFailure = Effect.fnUntraced(function* (file: string, complaint: string) {
  const files = yield* FileSystem.FileSystem
  const recorded = yield* files.readFileString(file).pipe(Effect.flatMap(decodeFailure), Effect.option)
  const failure = Option.getOrElse(recorded, () => ({
    code: "browser_failed" as const,
    detail: "no report and no reason"
  }))
  const detail = plain(failure.detail, 300)
  yield* Effect.logWarning("Audit failed").pipe(Effect.annotateLogs({ code: failure.code, detail, complaint }))
  return yield* childFailure(failure.code, failure.detail)
})

/** Behind a proxy the browser only sees that the page did not load; the proxy knows whether its server refused the connection. */
export const explainRefusal = (report: LighthouseReport, page: URL, refused: ReadonlySet<string>): LighthouseReport =>
  report.runtimeError?.code === "page_unreachable" && refused.has(endpointOf(page))
    ? { ...report, runtimeError: connectionRefused(report.runtimeError.lighthouse_code) }
    : report

const runOnce = Effect.fnUntraced(function* (url: URL, device: Device) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* vetPage(url)
  const browser = yield* findChromium()
  const directory = yield* runDirectory.pipe(Effect.mapError(broken))
  const proxy = yield* guardProxy.pipe(Effect.mapError(broken))
  const job = yield* encodeJob({ url: url.href, device, browser, proxy: proxy.port }).pipe(Effect.orDie)
  const complaint = yield* files
    .writeFileString(path.join(directory, runFiles.job), job)
    .pipe(Effect.zipRight(runChild(directory)), Effect.mapError(broken))
  const file = path.join(directory, runFiles.report)
  const size = yield* files.stat(file).pipe(
    Effect.map((info) => Number(info.size)),
    Effect.orElseSucceed(() => 0)
  )
  if (size === 0) return yield* readFailure(path.join(directory, runFiles.failure), complaint)
  if (size > maxReportBytes) return yield* runFailed("lighthouse_error", "The Lighthouse report is too large.")
  const bytes = yield* files.readFile(file).pipe(Effect.mapError(broken))
  const read = parseReport(bytes, "Lighthouse").pipe(Either.flatMap((json) => readLighthouse(json, "Lighthouse")))
  const report = yield* Either.mapLeft(read, (error) => runFailed("lighthouse_error", error.message))
  return explainRefusal(report, url, proxy.refused)
})

const make = Effect.gen(function* () {
  const context = yield* Effect.context<
    FileSystem.FileSystem | Path.Path | CommandExecutor.CommandExecutor | Outbound
  >()
  const timeout = yield* AuditTimeout
  /** Concurrent audits would distort each other's measurements. */
  const alone = yield* Effect.makeSemaphore(1)
  const late = () => runFailed("run_timed_out", `The audit took longer than ${Duration.format(timeout)}.`)
  return Lighthouse.of({
    run: Traced.fn("Lighthouse.run")(function* (url, device) {
      const report = yield* Effect.scoped(runOnce(url, device)).pipe(
        Effect.timeoutFail({ duration: timeout, onTimeout: late }),
        alone.withPermits(1)
      )
      yield* vetReport(report)
      return report
    }, Effect.provide(context))
  })
})

/** Lighthouse in a child process on this machine's Chromium, one run at a time; needs the optional package `lighthouse`. */
export const layer = Layer.effect(Lighthouse, make)
