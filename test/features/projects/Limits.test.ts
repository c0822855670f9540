import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const create = (key: string, host: string) =>
  Server.send("POST", "/api/v1/projects", { body: { url: `https://${host}.example` }, key })

describe("the projects of an account", () => {
  it("never pass what its plan allows, however many are asked for at once", function* () {
    const { account, key } = yield* Server.customer("free")
    const other = yield* Server.keyWith(account, ["*"])
    const replies = yield* Effect.forEach(
      Array.from({ length: 12 }),
      (_, index) => create(index % 2 === 0 ? key : other, `site-${index}`),
      { concurrency: "unbounded" }
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 5 }, () => 201),
      ...Array.from({ length: 7 }, () => 422)
    ])
    const refused = replies.find(({ status }) => status === 422)
    expect(refused?.body.error).toMatchObject({
      code: "validation_error",
      details: [
        {
          message:
            "the account has 5 projects, and its plan (free) allows 5: delete one, or have the operator create it",
          path: "body"
        }
      ]
    })
  })

  it("stay beyond the limit, are answered as before, and make room when they are deleted", function* () {
    const { account, key } = yield* Server.customer("free")
    for (let index = 0; index < 6; index++) yield* Server.projectOf(account, `https://site-${index}.example`)
    expect((yield* create(key, "site-5")).body.meta).toEqual({ existing: true })
    expect((yield* create(key, "another")).status).toBe(422)
    const { body } = yield* Server.send("GET", "/api/v1/projects", { key })
    expect(body.data).toHaveLength(6)
    for (const { id } of body.data.slice(0, 2)) yield* Server.send("DELETE", `/api/v1/projects/${id}`, { key })
    expect((yield* create(key, "another")).status).toBe(201)
    expect((yield* create(key, "further")).status).toBe(422)
  })
})
