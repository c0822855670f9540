import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { Engine } from "../../../src/features/visibility/Domain.ts"
import { folder } from "../../oracles/folder.ts"

/** Keys that must not appear in any log, response, event or span. */
export const keys: Readonly<Record<Engine, string>> = {
  anthropic: "sk-ant-findable-test-5f1c",
  openai: "sk-proj-findable-test-9b2e",
  perplexity: "pplx-findable-test-7d3a",
  xai: "xai-findable-test-1e8f"
}

const files: Readonly<Record<Engine, string>> = {
  anthropic: "anthropic-web-search-tool.1.json",
  openai: "openai-web-search-tool.1.json",
  perplexity: "agent-web-search.trimmed.json",
  xai: "xai-web-search-tool.1.json"
}

// biome-ignore lint/suspicious/noExplicitAny: foreign responses are asserted without types
type Json = any

/** Small responses in the documented formats, where the recorded ones are not beside the repository. */
const written: Readonly<Record<Engine, Json>> = {
  anthropic: {
    content: [],
    model: "claude-sonnet-4-5-20250929",
    stop_reason: "end_turn",
    usage: { input_tokens: 1200, output_tokens: 90, server_tool_use: { web_search_requests: 1 } }
  },
  openai: {
    model: "gpt-5-mini-2025-08-07",
    output: [],
    status: "completed",
    usage: { input_tokens: 19_681, output_tokens: 3773 }
  },
  perplexity: {
    model: "perplexity/sonar",
    output: [],
    status: "completed",
    usage: { cost: { total_cost: 0.00119 }, input_tokens: 3007, output_tokens: 36 }
  },
  xai: {
    model: "grok-4-fast-reasoning",
    output: [],
    status: "completed",
    usage: { input_tokens: 1941, output_tokens: 583 }
  }
}

/** The recorded response of an engine, or a small one in its format. */
export const recorded = (engine: Engine): Json => {
  const path = resolve(folder, "answers", files[engine])
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : structuredClone(written[engine])
}

/** OpenAI's recorded quota error, or its relevant part. */
export const quotaError = (): Json => {
  const path = resolve(folder, "answers", "openai-error.1.json")
  return existsSync(path)
    ? JSON.parse(readFileSync(path, "utf8"))
    : { error: { code: "insufficient_quota", message: "You exceeded your quota", type: "insufficient_quota" } }
}

/** Anthropic's recorded refusal, or one in its format. */
export const refusal = (): Json => {
  const path = resolve(folder, "answers", "anthropic-refusal.json")
  return existsSync(path)
    ? JSON.parse(readFileSync(path, "utf8"))
    : { content: [], model: "claude", stop_reason: "refusal", usage: { input_tokens: 18, output_tokens: 5 } }
}

interface Said {
  readonly text: string
  readonly urls?: ReadonlyArray<string>
  readonly searched?: boolean
}

/** The recorded response with another text and other citations. */
export const answer = (engine: Engine, { searched = true, text, urls = [] }: Said): Json => {
  const body = recorded(engine)
  if (engine === "anthropic") {
    const results = urls.map((url) => ({ title: "A page", type: "web_search_result", url }))
    const citations = urls.map((url) => ({ title: "A page", type: "web_search_result_location", url }))
    const search = { content: results, tool_use_id: "srvtoolu_1", type: "web_search_tool_result" }
    return { ...body, content: [...(searched ? [search] : []), { citations, text, type: "text" }] }
  }
  const annotations = urls.map((url) => ({ title: "A page", type: "url_citation", url }))
  const numbers = urls.map((_, at) => `[${at + 1}]`).join("")
  const search =
    engine === "perplexity"
      ? { results: urls.map((url, at) => ({ id: at + 1, title: "A page", url })), type: "search_results" }
      : { action: { query: "q", type: "search" }, status: "completed", type: "web_search_call" }
  const content =
    engine === "perplexity"
      ? [{ annotations: [], text: `${text}${numbers}`, type: "output_text" }]
      : [{ annotations, text, type: "output_text" }]
  return { ...body, output: [...(searched ? [search] : []), { content, role: "assistant", type: "message" }] }
}

/** A request as an engine received it. */
interface Asked {
  readonly engine: Engine
  readonly body: Json
  readonly prompt: string
}

type Reply = (asked: Asked) => Response | Promise<Response>

export interface FakeEngines {
  readonly url: string
  readonly asked: Array<Asked>
  /** Responses in place of the usual one, used in order, for prompts that contain a text. */
  readonly first: Map<string, Array<Reply>>
  /** Responses to prompts that contain a text. */
  readonly replies: Map<string, Reply>
}

const promptOf = (body: Json): string =>
  typeof body.input === "string" ? body.input : (body.input ?? body.messages)[0].content

/** A server on the loopback interface that acts as all four engines, distinguished by their keys. */
export const serve = Effect.acquireRelease(
  Effect.sync(() => {
    const state = { asked: [] as Asked[], first: new Map<string, Reply[]>(), replies: new Map<string, Reply>() }
    const server = Bun.serve({
      fetch: async (request) => {
        const key = request.headers.get("x-api-key") ?? request.headers.get("authorization")?.replace("Bearer ", "")
        const engine = (["openai", "anthropic", "perplexity", "xai"] as const).find((name) => keys[name] === key)
        const expected = engine === "anthropic" ? "/v1/messages" : "/v1/responses"
        if (engine === undefined || new URL(request.url).pathname !== expected)
          return Response.json({ error: { message: `Incorrect API key provided: ${key}` } }, { status: 401 })
        const body = await request.json()
        const asked = { body, engine, prompt: promptOf(body) }
        state.asked.push(asked)
        for (const [text, replies] of state.first)
          if (asked.prompt.includes(text)) {
            const reply = replies.shift()
            if (reply !== undefined) return reply(asked)
          }
        for (const [text, reply] of state.replies) if (asked.prompt.includes(text)) return reply(asked)
        return Response.json(answer(engine, { text: "Somebody else.", urls: ["https://other.example/page"] }))
      },
      hostname: "127.0.0.1",
      idleTimeout: 120,
      port: 0
    })
    return { fake: { ...state, url: `http://127.0.0.1:${server.port}` } satisfies FakeEngines, server }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
).pipe(Effect.map(({ fake }): FakeEngines => fake))
