import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../../cli.ts"
import { html } from "../../crawl/site/Html.ts"
import { serve } from "../../crawl/site/Server.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"

const open = { FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8" }
const bare = { ...open, CHROME_PATH: "/nowhere/chrome" }
const off = { ...open, FINDABLE_RENDER: "off" }

const site = Effect.gen(function* () {
  const asked: Array<string> = []
  const { origin } = yield* serve(() => ({ url = "" }, response) => {
    asked.push(url)
    response.writeHead(url === "/" ? 200 : 404, { "content-type": "text/html; charset=utf-8" })
    response.end(html({ title: "Home" }))
  })
  return { asked, origin }
})

describe("crawl on a machine without a browser", () => {
  it("refuses --render always before any request, and says why", () =>
    Effect.gen(function* () {
      const { asked, origin } = yield* site
      expect(yield* run(bare, "crawl", origin, "--render", "always")).toEqual({
        code: 1,
        stderr: "findable: --render always needs a browser. CHROME_PATH is not the path of a file.\n",
        stdout: ""
      })
      expect(yield* run(off, "crawl", origin, "--render", "always")).toEqual({
        code: 1,
        stderr: "findable: --render always needs a browser. FINDABLE_RENDER is off. Set it to auto to render.\n",
        stdout: ""
      })
      expect(asked).toEqual([])
    }))

  it("renders nothing, and says so in one line unless that was asked for", () =>
    Effect.gen(function* () {
      const { origin } = yield* site
      const said = "findable: JavaScript is not rendered. "
      const crawl = (environment: Record<string, string>, ...words: ReadonlyArray<string>) =>
        Effect.map(run(environment, "crawl", origin, "--json", ...words), ({ code, stderr, stdout }) => ({
          code,
          mode: JSON.parse(stdout).summary.rendering.mode,
          stderr
        }))
      const done = { code: 0, mode: "never" }
      expect(yield* crawl(bare)).toEqual({ ...done, stderr: `${said}CHROME_PATH is not the path of a file.\n` })
      expect(yield* crawl(bare, "--render", "never")).toEqual({ ...done, stderr: "" })
      expect(yield* crawl(off)).toEqual({ ...done, stderr: "" })
      expect(yield* crawl(off, "--render", "auto")).toEqual({
        ...done,
        stderr: `${said}FINDABLE_RENDER is off. Set it to auto to render.\n`
      })
    }))

  it("rechecks a report that was rendered without a browser, and says so", () =>
    Effect.gen(function* () {
      const { origin } = yield* site
      const file = join(yield* folder, "report.json")
      const { stdout } = yield* run(off, "crawl", origin, "--json")
      const report = JSON.parse(stdout)
      writeFileSync(file, stdout)
      expect((yield* run(bare, "verify", file, "--rule", "description_missing")).stderr).not.toContain("not rendered")
      report.summary.rendering.mode = "always"
      writeFileSync(file, JSON.stringify(report))
      expect((yield* run(bare, "verify", file, "--rule", "description_missing")).stderr).toStartWith(
        "findable: JavaScript is not rendered. CHROME_PATH is not the path of a file.\n"
      )
    }))
})

it("crawl names the choices of --render, and the bounds of --render-pages", () =>
  Effect.gen(function* () {
    const wrong = yield* run(open, "crawl", "localhost:1", "--render", "sometimes")
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("auto")])
    const none = yield* run(open, "crawl", "localhost:1", "--render-pages", "0")
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("must be an integer from 1 to 1000")])
  }))
