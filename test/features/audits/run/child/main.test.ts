import { expect, test } from "bun:test"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

test("an audit process without a directory ends, and removes nothing in its working directory", () => {
  const place = mkdtempSync(join(tmpdir(), "findable-undirected-"))
  const kept = join(place, "kept")
  writeFileSync(kept, "")
  const script = join(import.meta.dir, "../../../../../src/features/audits/run/child/main.ts")
  const { exitCode } = Bun.spawnSync([process.execPath, script], { cwd: place, stderr: "ignore", stdin: "ignore" })
  expect({ exitCode, isKept: existsSync(kept) }).toEqual({ exitCode: 1, isKept: true })
  rmSync(place, { recursive: true })
})
