import * as Command from "@effect/platform/Command"
import type * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
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
import { findBrowser } from "../../../foundation/browser/Find.ts"
import { endpointOf } from "../../../foundation/browser/Socks.ts"
import { Outbound, type OutboundError } from "../../../foundation/outbound/Outbound.ts"
import * as Child from "../../../foundation/process/Child.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { type AuditFailure, type AuditFailureCode, Device } from "../Domain.ts"
import { connectionRefused, failureOfCode, type LighthouseReport } from "../report/LighthouseReport.ts"
import { plain, readLighthouse } from "../report/ReadLighthouse.ts"
import { maxReportBytes, parseReport } from "../report/ReadPsi.ts"
import { AuditTimeout } from "../Settings.ts"
import { guardProxy } from "./Proxy.ts"

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

/** Platform adapter (`Bun.resolveSync`): the programs for audits on this machine, found without starting them. */

/** The Chromium of this machine. */
export const findChromium = () =>
  Effect.mapError(findBrowser("audits"), ({ message }) => runFailed("browser_missing", message))

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
