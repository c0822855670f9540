import { describe, expect, test } from "bun:test"
import { statementNames } from "../../../src/foundation/database/Connection.ts"

const texts = (count: number) => Array.from({ length: count }, (_, n) => `SELECT $1 + ${n}`)

describe("names of prepared statements", () => {
  test("a text keeps its name, and no two texts share one", () => {
    const names = statementNames()
    const first = texts(1000).map(names.of)
    expect(new Set(first).size).toBe(1000)
    expect(texts(1000).map(names.of)).toEqual(first)
  })

  test("a text that was forgotten gets a name that no text had", () => {
    const names = statementNames()
    const before = texts(3).map(names.of)
    names.forget("SELECT $1 + 1")
    expect(before).not.toContain(names.of("SELECT $1 + 1"))
  })

  test("the 1,001st text has none until another is forgotten, and each pool counts for itself", () => {
    const names = statementNames()
    for (const text of texts(1000)) names.of(text)
    expect(names.of("SELECT $1")).toBeUndefined()
    expect(statementNames().of("SELECT $1")).toBeDefined()
    names.forget("SELECT $1 + 999")
    expect(names.of("SELECT $1")).toBeDefined()
  })
})
