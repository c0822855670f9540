import { signal } from "@preact/signals"
import type { ConsoleSession, OwnKey } from "./Contract.ts"
import { base, type Failure, type Outcome, open, outcomeOf, send, silent } from "./Send.ts"

/** The key of this tab. */
interface Session {
  readonly key: string
  /** Whether the key was created for this session: signing out then deletes it. A pasted key belongs to the person. */
  readonly isOwn: boolean
}

const place = "findable-console"

/** Uses the storage of the tab. If the browser forbids storage, the key lasts as long as the page. */
const withStorage = <A>(use: (storage: Storage) => A): A | null => {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}

const stored = (): Session | null => withStorage((storage) => JSON.parse(storage.getItem(place) ?? "null"))

/** The session of this tab; null on the sign-in page. */
export const session = signal<Session | null>(stored())

/** What the key of this tab may do; null until the server answers, and for callers that an embedding program signs in. */
export const own = signal<OwnKey | null>(null)

/** Whether the key has a scope. */
export const may = (scope: string): boolean => own.value?.grants.includes(scope) ?? true

/** Why the sign-in page is shown, for example an expired link. */
interface Reason {
  /** The heading of the page, if it says more than how to sign in. */
  readonly title?: string
  readonly text: string
}

/** Why the sign-in page is shown; null on a first visit. */
export const reason = signal<Reason | null>(null)

/** Whether this tab shows nothing, because an open one may answer with its key. */
export const isAsking = signal(false)

/** Whether this tab has asked open ones for their key, and has had no session since. */
let hasAsked = false

const keep = (next: Session | null, why: Reason | null) => {
  hasAsked = false
  isAsking.value = false
  withStorage((storage) => {
    if (next === null) storage.removeItem(place)
    else storage.setItem(place, JSON.stringify(next))
  })
  reason.value = why
  own.value = null
  session.value = next
}

/** What tabs of this console tell each other: a new tab asks for a key, open tabs answer, and a tab says that a key has ended. */
type Message =
  | { readonly kind: "ask" }
  | { readonly kind: "key"; readonly session: Session }
  | { readonly kind: "end"; readonly key: string; readonly why: Reason }

/** Milliseconds that a new tab waits for the key of an open one. */
const patience = 250

let tabs: BroadcastChannel | null = null

const tell = (message: Message) => tabs?.postMessage(message)

/** Shares the key with the open tabs of this console; a new tab `isNew` asks them for it. Other consoles of the origin have another channel. */
export const join = (isNew: boolean): void => {
  tabs = new BroadcastChannel(`findable ${new URL(".", base).pathname}`)
  tabs.onmessage = ({ data }: MessageEvent<Message>) => {
    const held = session.peek()
    if (data.kind === "ask" && held !== null) tell({ kind: "key", session: held })
    // On a busy machine the answer may find the sign-in page.
    if (data.kind === "key" && hasAsked) keep(data.session, null)
    if (data.kind === "end" && held?.key === data.key) keep(null, data.why)
  }
  if (!isNew || session.peek() !== null) return
  hasAsked = true
  isAsking.value = true
  tell({ kind: "ask" })
  setTimeout(() => {
    isAsking.value = false
  }, patience)
}

/** Ends the session of a key in all tabs. */
const end = (key: string, why: Reason) => {
  keep(null, why)
  tell({ key, kind: "end", why })
}

/** Signs in with a pasted key that the server accepts. */
export const enter = async (key: string): Promise<Failure | null> => {
  const { failure } = await send<OwnKey>({ key, path: "/key" })
  // A program that embeds the API may authenticate its callers in another way.
  if (failure !== null && failure.status !== 404) return failure
  keep({ isOwn: false, key }, null)
  return null
}

/** Signs in with the single-use code of a link. */
export const redeem = async (code: string): Promise<void> => {
  const outcome = await send<ConsoleSession>({ body: { code }, key: null, method: "POST", path: "/console-sessions" })
  if (outcome.failure === null) keep({ isOwn: true, key: outcome.data.key }, null)
  else
    keep(null, {
      text: [404, 422].includes(outcome.failure.status)
        ? "This sign-in link has expired or has already been used. Run the command below to get a new one."
        : outcome.failure.message
    })
}

/** A message as a whole sentence; not every message of the API ends with a period. */
const sentenceOf = (message: string) => message.replace(/[.!?]?$/, (end) => end || ".")

/** Returns to the sign-in page because the server rejects the key, unless another key was entered meanwhile. */
const lose = (key: string, message: string): void => {
  if (session.value?.key === key)
    end(key, { text: `${sentenceOf(message)} Sign in again to return to this page.`, title: "API key rejected" })
}

/** Signs out: deletes the key of a session, forgets a pasted one. */
export const leave = async (): Promise<void> => {
  const { isOwn = false, key = "" } = session.value ?? {}
  if (!isOwn) return end(key, { text: "You’re signed out. Your API key is still valid." })
  const { failure } = await send({ key, method: "DELETE", path: "/key" })
  end(key, {
    text:
      failure === null || failure.status === 401
        ? "You’re signed out. The key of this session is deleted."
        : `You’re signed out, but the key of this session could not be deleted and is valid until it expires: ${failure.message}`
  })
}

/** A 401 leads to the sign-in page; the URL stays, so signing in leads back here. */
const checked = (key: string, failure: Failure | null) => {
  if (failure?.status === 401) lose(key, failure.message)
}

/** Sends a request with the key of the tab. */
export const ask = async <T>(
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  options: { readonly body?: object; readonly signal?: AbortSignal } = {}
): Promise<Outcome<T>> => {
  const { key = "" } = session.value ?? {}
  const outcome = await send<T>({ ...options, key, method, path })
  checked(key, outcome.failure)
  return outcome
}

/** Reads a streamed response (NDJSON) line by line to its end; blank lines only keep the connection open. */
export const readLines = async <T>(
  path: string,
  signal: AbortSignal,
  onLine: (line: T) => void
): Promise<Failure | null> => {
  const { key = "" } = session.value ?? {}
  const { failure, response } = {
    response: undefined,
    ...(await open({ accept: "application/x-ndjson", key, path, signal }))
  }
  checked(key, failure)
  if (response === undefined) return failure
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const piece = await reader?.read().catch(() => undefined)
    if (piece === undefined || piece.done) return null
    const lines = `${rest}${piece.value}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line !== "") onLine(JSON.parse(line))
  }
}

/** Saves a response as a file. */
export const download = async (path: string, accept: string, name: string): Promise<Outcome<null>> => {
  const { key = "" } = session.value ?? {}
  const { failure, response } = { response: undefined, ...(await open({ accept, key, path })) }
  checked(key, failure)
  const file = await response?.blob().catch(() => undefined)
  if (file === undefined) return { failure: failure ?? silent(null) }
  const link = document.createElement("a")
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  return { data: null, failure: null, meta: {}, status: 200 }
}

/** Uploads a file and reports its progress from 0 to 1, which `fetch` cannot. */
export const upload = async <T>(path: string, file: File, sent: (part: number) => void): Promise<Outcome<T>> => {
  const { key = "" } = session.value ?? {}
  const request = new XMLHttpRequest()
  request.open("POST", `${base}${path}`)
  request.setRequestHeader("authorization", `Bearer ${key}`)
  request.upload.onprogress = ({ loaded, total }) => sent(loaded / total)
  await new Promise((ended) => {
    request.onloadend = ended
    request.send(file)
  })
  const { responseText, status } = request
  const headers = { "retry-after": request.getResponseHeader("retry-after") ?? "" }
  const outcome =
    status === 0 ? { failure: silent(null) } : await outcomeOf<T>(new Response(responseText, { headers, status }))
  checked(key, outcome.failure)
  return outcome
}
