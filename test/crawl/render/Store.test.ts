import { expect } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { make } from "../../../src/crawl/render/Store.ts"
import { suite } from "../../harness.ts"

const test = suite(BunContext.layer)

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`findable-crawl-${process.pid}-`))

test("keeps bodies in files that the end of its scope removes, and makes no folder without any", function* () {
  const before = new Set(folders())
  const made = () => folders().filter((name) => !before.has(name))
  const [folder = ""] = yield* Effect.scoped(
    Effect.gen(function* () {
      const store = yield* make
      expect(made()).toEqual([])
      const bodies = [Uint8Array.of(1, 2), new Uint8Array()]
      const reads = yield* Effect.forEach(bodies, store)
      expect(yield* Effect.all(reads.map(Option.getOrThrow))).toEqual(bodies)
      return made()
    })
  )
  expect(folder).not.toBe("")
  expect(existsSync(join(tmpdir(), folder))).toBe(false)
})

test("takes no more than 256 MB", function* () {
  yield* Effect.scoped(
    Effect.gen(function* () {
      const store = yield* make
      expect(yield* store(new Uint8Array(256_000_001))).toEqual(Option.none())
      expect(Option.isSome(yield* store(Uint8Array.of(1)))).toBe(true)
    })
  )
})
