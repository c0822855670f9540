import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Audits } from "../../../src/features/audits/Audits.ts"
import { folder } from "../../folder.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { command, events, layer, runtimeError } from "./auditing.ts"
import { report } from "./reports.ts"

const it = suite(layer)

const nobody = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"

/** A temporary file, removed after the test. */
const file = (content: unknown) =>
  Effect.map(folder, (directory) => {
    const path = join(directory, "report.json")
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
    return path
  })

const psi = {
  lighthouseResult: report(),
  loadingExperience: { metrics: { INTERACTION_TO_NEXT_PAINT: { percentile: 180 } } }
}
const crux = {
  record: {
    key: { origin: "https://shop.example" },
    metrics: { largest_contentful_paint: { percentiles: { p75: 1200 } } }
  }
}

describe("audits import", () => {
  it("records a PageSpeed Insights response, and says where each metric was measured", function* () {
    const { account, key } = yield* Server.customer()
    const { failure, printed } = yield* command("import", "--account", account, "--psi", yield* file(psi))
    expect(failure).toBeNull()
    expect(printed).toMatchObject({
      device: "mobile",
      lighthouse_version: "13.5.0",
      metric_sources: { cls: "lab", inp_ms: "page_field", lcp_ms: "lab", ttfb_ms: null },
      source: "import",
      status: "completed"
    })
    const { body } = yield* Server.send("GET", `/api/v1/audits/${printed.id}`, { key })
    expect(body.data.core_web_vitals.metrics).toMatchObject({ inp_ms: 180, lcp_ms: 2600.25 })
  })

  it("prefers a CrUX record to lab values", function* () {
    const { account, key } = yield* Server.customer()
    const words = ["--lighthouse", yield* file(report()), "--crux", yield* file(crux)]
    const { printed } = yield* command("import", "--account", account, ...words)
    expect(printed.metric_sources).toMatchObject({ cls: "lab", lcp_ms: "origin_field" })
    const { body } = yield* Server.send("GET", `/api/v1/audits/${printed.id}`, { key })
    expect(body.data.core_web_vitals.metrics.lcp_ms).toBe(1200)
  })

  it("records a report of a failed run as failed, and ends with its reason", function* () {
    const { account } = yield* Server.customer()
    const failed = yield* file(report({}, runtimeError))
    const { failure, printed } = yield* command("import", "--account", account, "--lighthouse", failed)
    expect(failure).toBe("DNS lookup found no address for the host of the page.")
    expect(printed).toMatchObject({ failure: { code: "dns_failure" }, status: "failed" })
    expect(yield* events(account)).toMatchObject([{ data: { id: printed.id }, type: "audit.failed" }])
  })

  it("names file and field of an invalid file, and records nothing", function* () {
    const audits = yield* Audits
    const { account } = yield* Server.customer()
    const into = ["import", "--account", account] as const
    const broken = yield* file("{")
    expect((yield* command(...into, "--lighthouse", broken)).failure).toBe(`${broken}: not valid JSON`)
    const ancient = yield* file(report({}, { lighthouseVersion: "5.6.0" }))
    expect((yield* command(...into, "--lighthouse", ancient)).failure).toBe(
      `${ancient}: lighthouseVersion: is 5.6.0; only reports of Lighthouse 6 or later can be imported`
    )
    const other = yield* file({ record: { key: { origin: "https://other.example" }, metrics: {} } })
    expect((yield* command(...into, "--psi", yield* file(psi), "--crux", other)).failure).toBe(
      `${other}: record.key: is another page than that of the report`
    )
    expect((yield* command(...into)).failure).toBe("Name exactly one report, with --lighthouse FILE or --psi FILE")
    expect((yield* command(...into, "--psi", broken, "--lighthouse", broken)).failure).toBe(
      "Name exactly one report, with --lighthouse FILE or --psi FILE"
    )
    const foreign = yield* command("import", "--account", nobody, "--lighthouse", yield* file(report()))
    expect(foreign.failure).toBe(`There is no account ${nobody}`)
    expect(yield* audits.list(account, 10)).toEqual([])
  })
})

describe("audits list", () => {
  it("shows completed and failed audits, latest first", function* () {
    const { account } = yield* Server.customer()
    const into = ["import", "--account", account, "--lighthouse"] as const
    const first = yield* command(...into, yield* file(report()))
    const second = yield* command(...into, yield* file(report({}, runtimeError)))
    expect((yield* command("list", "--account", account)).printed).toEqual([second.printed, first.printed])
    expect((yield* command("list", "--account", account, "--limit", "1")).printed).toEqual([second.printed])
  })
})

describe("audits schedule", () => {
  it("adds, lists and removes schedules", function* () {
    const { account } = yield* Server.customer()
    const of = ["--account", account] as const
    const url = "https://shop.example/page"
    const daily = (yield* command("schedule", "add", ...of, url)).printed
    expect(daily).toMatchObject({
      account_id: account,
      device: "mobile",
      every_minutes: 1440,
      source: "lighthouse",
      url
    })
    const words = [url, "--device", "desktop", "--every", "6h", "--psi"]
    const desktop = (yield* command("schedule", "add", ...of, ...words)).printed
    expect(desktop).toMatchObject({ device: "desktop", every_minutes: 360, source: "psi" })
    expect((yield* command("schedule", "list", ...of)).printed).toEqual([daily, desktop])
    expect((yield* command("schedule", "remove", daily.id)).printed).toEqual(daily)
    expect((yield* command("schedule", "list", ...of)).printed).toEqual([desktop])
  })

  it("changes a schedule that is added again", function* () {
    const { account } = yield* Server.customer()
    const add = ["schedule", "add", "--account", account] as const
    const first = (yield* command(...add, "https://shop.example")).printed
    const second = (yield* command(...add, "https://SHOP.example/", "--every", "15m")).printed
    expect(second).toEqual({ ...first, every_minutes: 15 })
  })

  it("refuses invalid schedules", function* () {
    const { account } = yield* Server.customer()
    const add = ["schedule", "add", "--account", account] as const
    const page = "https://shop.example"
    expect((yield* command(...add, page, "--every", "14m")).failure).toContain("15 minutes to 365 days")
    expect((yield* command(...add, page, "--every", "366d")).failure).toContain("15 minutes to 365 days")
    expect((yield* command(...add, page, "--every", "daily")).failure).toContain("such as 30m, 6h or 1d")
    expect((yield* command(...add, "shop.example")).failure).toContain("must be an absolute http or https URL")
    expect((yield* command(...add, page, "--device", "tablet")).failure).not.toBeNull()
    expect((yield* command("schedule", "add", "--account", nobody, page)).failure).toBe(`There is no account ${nobody}`)
    expect((yield* command("schedule", "remove", nobody)).failure).toBe(
      "No schedule found with this id. Check the id, and the account that it belongs to"
    )
    expect((yield* command("schedule", "list", "--account", account)).printed).toEqual([])
  })
})
