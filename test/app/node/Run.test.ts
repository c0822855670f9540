import { describe, expect, test } from "bun:test"
import { resolve } from "node:path"

const spawn = (how: string, environment: Record<string, string> = {}) =>
  Bun.spawn([process.execPath, resolve(import.meta.dir, "ending.ts"), how], {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stderr: "pipe",
    stdin: "pipe",
    stdout: "pipe"
  })

const end = async (how: string, environment?: Record<string, string>) => {
  const child = spawn(how, environment)
  return { code: await child.exited, stderr: await new Response(child.stderr).text() }
}

describe("a process", () => {
  test("says why it ends and exits with 1 when it ends without a signal", async () => {
    const [failure, defect, interruption] = await Promise.all([end("failure"), end("defect"), end("interruption")])
    expect(failure).toEqual({ code: 1, stderr: "findable: a failure\n" })
    expect([defect.code, defect.stderr]).toEqual([1, expect.stringContaining("a defect")])
    expect(interruption).toEqual({
      code: 1,
      stderr: "findable: The process stopped because one of its parts was interrupted. Please report this as a bug.\n"
    })
  })

  test("exits with 0 when it succeeds and when SIGTERM or SIGINT stops it", async () => {
    expect(await end("success")).toEqual({ code: 0, stderr: "" })
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const child = spawn("waiting")
      for await (const _ of child.stdout) break
      child.kill(signal)
      expect(await child.exited).toBe(0)
    }
  })

  test("finishes its stop when the signal arrives twice, as npm sends it after Ctrl-C in a terminal", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const child = spawn("closing")
      let said = ""
      for await (const piece of child.stdout) {
        const text = new TextDecoder().decode(piece)
        said += text
        if (/waiting|closing/.test(text)) child.kill(signal)
        if (said.includes("closing")) child.stdin.end()
      }
      expect([said, await child.exited]).toEqual(["waiting\nclosing\nclosed\n", 0])
    }
  })

  test("names every wrong setting before it does anything, and exits with 1", async () => {
    const { code, stderr } = await end("success", { FINDABLE_AUDIT_TIMEOUT: "soon", FINDABLE_RUNS_AT_ONCE: "0" })
    expect([code, stderr]).toEqual([
      1,
      'findable: Configuration: 2 settings are not valid\n  FINDABLE_AUDIT_TIMEOUT: Expected a duration but received "soon"\n  FINDABLE_RUNS_AT_ONCE: must be from 1 to 100\n'
    ])
  })

  test("warns about an unknown setting, and continues", async () => {
    const { code, stderr } = await end("success", { FINDABLE_POTR: "1" })
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("Unknown setting FINDABLE_POTR. Did you mean FINDABLE_PORT?")
    ])
  })
})
