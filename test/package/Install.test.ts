import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root, started } from "./consumer.ts"

const { devDependencies, name, peerDependencies, version } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)
const guide = readFileSync(join(root, "src/guides/reference/package.md"), "utf8")
const file = `./${name}-${version}.tgz`
const line = guide.split("\n").find((line) => line.startsWith(`npm i ${file} `)) ?? ""

/** The version ranges in the command, by package. */
const ranges = new Map(
  line
    .split(" ")
    .slice(3)
    .map((word) => {
      const at = word.lastIndexOf("@")
      return [word.slice(0, at), word.slice(at + 1)] as const
    })
)

const place = mkdtempSync(join(tmpdir(), "findable-install-"))
afterAll(() => rmSync(place, { force: true, recursive: true }))

describe("the guide's command that installs the package", () => {
  test("names every peer dependency, with a range that includes the version built with", () => {
    const peers: ReadonlyArray<readonly [string, unknown]> = Object.entries(peerDependencies)
    expect([...ranges.keys()].toSorted()).toEqual(peers.map(([peer]) => peer).toSorted())
    for (const [peer, range] of peers) {
      const built: string = devDependencies[peer]
      expect({ peer, range }).toEqual({ peer, range: `^${built}` })
      expect({ fits: Bun.semver.satisfies(built, ranges.get(peer) ?? ""), peer }).toEqual({ fits: true, peer })
    }
  })

  test("resolves with npm, if a registry can be reached", async () => {
    const folder = join(place, "packed")
    // Only the peers must be resolved together.
    await Bun.write(join(folder, "package.json"), JSON.stringify({ name, peerDependencies, version }))
    await started([process.execPath, "pm", "pack", "--destination", place], folder)
    writeFileSync(join(place, "package.json"), '{"private":true}')
    const words = line.split(" ")
    const flags = "--dry-run --prefer-offline --ignore-scripts --no-audit --no-fund --fetch-retries=0".split(" ")
    const { code, text } = await started([...words, ...flags], place)
    if (/EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|E50\d|ENOENT/.test(text)) {
      console.warn("Not tested: whether the line resolves, because npm or its registry cannot be reached")
      return
    }
    expect({ code, isConflict: text.includes("ERESOLVE") }).toEqual({ code: 0, isConflict: false })
  }, 300_000)
})
