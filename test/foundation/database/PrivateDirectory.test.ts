import { describe, expect } from "bun:test"
import { chmodSync, chownSync, lstatSync, mkdirSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { privateDirectory } from "../../../src/foundation/database/EmbeddedFiles.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"

const mode = (path: string) => statSync(path).mode & 0o777
const asRoot = process.getuid?.() === 0
const owner = { gid: 65_534, name: "nobody", uid: 65_534 }

describe("a private directory", () => {
  it("is made for its owner alone, and taken again when it is ours", function* () {
    const path = join(yield* folder, "socket")
    yield* privateDirectory(path, asRoot ? owner : undefined)
    chmodSync(path, 0o777)
    yield* privateDirectory(path, asRoot ? owner : undefined)
    expect([mode(path), statSync(path).uid]).toEqual([0o700, asRoot ? owner.uid : (process.getuid?.() ?? 0)])
  })

  it("is not what a link leads to: the link is refused and its target left alone", function* () {
    const place = yield* folder
    const target = join(place, "target")
    mkdirSync(target, { mode: 0o755 })
    chmodSync(target, 0o755)
    symlinkSync(target, join(place, "socket"))
    const { message } = yield* Effect.flip(privateDirectory(join(place, "socket"), asRoot ? owner : undefined))
    expect(message).toContain("is not a directory of Findable")
    expect([mode(target), statSync(target).uid]).toEqual([0o755, process.getuid?.() ?? 0])
    expect(lstatSync(join(place, "socket")).isSymbolicLink()).toBe(true)
  })

  if (asRoot) {
    it("is not somebody else's", function* () {
      const path = join(yield* folder, "socket")
      mkdirSync(path, { mode: 0o755 })
      chownSync(path, 12_345, 12_345)
      const { message } = yield* Effect.flip(privateDirectory(path, owner))
      expect(message).toContain("it belongs to user 12345")
      expect(statSync(path).uid).toBe(12_345)
    })
  }
})
