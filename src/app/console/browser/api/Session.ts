import { signal } from "@preact/signals"
import type { ConsoleSession, OwnKey } from "./Contract.ts"
import { base, type Failure, type Outcome, open, outcomeOf, send, silent } from "./Send.ts"

/** The key of this tab. */
interface Session {
  readonly key: string
  /** Made for this session, so leaving deletes it; a pasted key belongs to the person. */
  readonly isOwn: boolean
}

const place = "findable-console"

/** A browser may keep pages from storing anything: then the key lasts as long as the page. */
const withStorage = <A>(use: (storage: Storage) => A): A | null => {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}

const stored = (): Session | null => withStorage((storage) => JSON.parse(storage.getItem(place) ?? "null"))

/** Who uses this tab; null at the door. */
export const session = signal<Session | null>(stored())

/** Why the door is shown, where there is more to say than that nobody has entered. */
export const reason = signal<string | null>(null)

const keep = (next: Session | null, why: string | null) => {
  withStorage((storage) => {
    if (next === null) storage.removeItem(place)
    else storage.setItem(place, JSON.stringify(next))
  })
  reason.value = why
  session.value = next
}

/** Enters with a key that a person has, once the server knows it. */
export const enter = async (key: string): Promise<Failure | null> => {
  const { failure } = await send<OwnKey>({ key, path: "/key" })
  // A program that embeds the API may know its callers by other means.
  if (failure !== null && failure.status !== 404) return failure
  keep({ isOwn: false, key }, null)
  return null
}

/** Enters with the code of a link, which serves once. */
export const redeem = async (code: string): Promise<void> => {
  const outcome = await send<ConsoleSession>({ body: { code }, key: null, method: "POST", path: "/console-sessions" })
  if (outcome.failure === null) keep({ isOwn: true, key: outcome.data.key }, null)
  else
    keep(
      null,
      [404, 422].includes(outcome.failure.status)
        ? "This sign-in link has expired or has already been used. Get a new one on the server."
        : outcome.failure.message
    )
}

/** Back to the door, because the server refuses the key. Another one may have been entered meanwhile. */
const lose = (key: string, message: string): void => {
  if (session.value?.key === key) keep(null, `${message}. Enter again, and you are back where you were.`)
}

/** Leaves: the key of a session is deleted, a pasted one is forgotten. */
export const leave = async (): Promise<void> => {
  const { isOwn = false, key = "" } = session.value ?? {}
  if (!isOwn) return keep(null, "You have left. The key is forgotten here, and stays valid.")
  const { failure } = await send({ key, method: "DELETE", path: "/key" })
  keep(
    null,
    failure === null || failure.status === 401
      ? "You have left. The key of the session is deleted."
      : `You have left, but the key of the session could not be deleted: ${failure.message}`
  )
}

/** A 401 leads back to the door; the address stays, so that entering leads here again. */
const checked = (key: string, failure: Failure | null) => {
  if (failure?.status === 401) lose(key, failure.message)
}

/** Asks the API with the key of the tab. */
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

/** Reads an answer that grows line by line (NDJSON), each line as it comes, until it ends; blank lines only keep the connection. */
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

/** Sends a file as it is, and says meanwhile which part of it is sent, from 0 to 1: `fetch` cannot tell that. */
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
