import { describe, expect } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import { invocation, invocationOf } from "../../../src/foundation/terminal/Terminal.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"

/** A folder with the installed package, as a package manager leaves it. */
const installed = Effect.map(folder, (place) => {
  const file = (...names: ReadonlyArray<string>) => {
    const path = join(place, ...names)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, "")
    return path
  }
  const module = pathToFileURL(file("node_modules/findable/dist/foundation/terminal/Terminal.js")).href
  return { file, module, place }
})

describe("the command that texts show", () => {
  it("is npm's script in a checkout", () => Effect.sync(() => expect(invocation).toBe("npm run -s cli --")))

  it("is the path of the installed program, from the current folder", function* () {
    const { file, module, place } = yield* installed
    const program = file("node_modules/.bin/findable")
    // npm adds its own folder to the path while it runs a program.
    const path = `${dirname(program)}:${join(place, "empty")}`
    expect(invocationOf({ folder: place, module, path })).toBe("node_modules/.bin/findable")
    expect(invocationOf({ folder: "/", module, path })).toBe(program.slice(1))
    expect(invocationOf({ folder: join(place, "data"), module, path })).toBe(program)
  })

  it("is `findable` if the shell finds it, as in the container", function* () {
    const { file, module, place } = yield* installed
    file("node_modules/.bin/findable")
    expect(invocationOf({ folder: place, module, path: `/nowhere:${dirname(file("bin/findable"))}` })).toBe("findable")
  })

  it("is Node.js with the program of the package if there is no other way", function* () {
    const { module, place } = yield* installed
    expect(invocationOf({ folder: place, module, path: "" })).toBe(
      `node ${join(place, "node_modules/findable/dist/bin.js")}`
    )
  })
})
