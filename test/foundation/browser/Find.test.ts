import { expect } from "bun:test"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { findBrowser, type Purpose } from "../../../src/foundation/browser/Find.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"

const finding = (purpose: Purpose, settings: Record<string, string>) =>
  findBrowser(purpose).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))),
    Effect.provide(BunContext.layer)
  )

const withPrograms = (...names: ReadonlyArray<string>) =>
  Effect.map(folder, (path) => {
    mkdirSync(path, { recursive: true })
    for (const name of names) {
      writeFileSync(join(path, name), "")
      chmodSync(join(path, name), 0o755)
    }
    return path
  })

it("renders by the headless shell where both are there, and audits by the whole browser", function* () {
  const path = yield* withPrograms("chromium", "chromium-headless-shell")
  expect(yield* finding("rendering", { PATH: path })).toBe(join(path, "chromium-headless-shell"))
  expect(yield* finding("audits", { PATH: path })).toBe(join(path, "chromium"))
})

it("takes the program that CHROME_PATH names, for both", function* () {
  const path = yield* withPrograms("chromium", "mine")
  const settings = { CHROME_PATH: join(path, "mine"), PATH: path }
  expect(yield* finding("rendering", settings)).toBe(join(path, "mine"))
  expect(yield* finding("audits", settings)).toBe(join(path, "mine"))
})

it("says when CHROME_PATH names no file", function* () {
  const error = yield* Effect.flip(finding("rendering", { CHROME_PATH: "/nowhere/chromium" }))
  expect(error.message).toBe("CHROME_PATH is not the path of a file.")
})
