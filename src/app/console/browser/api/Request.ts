import { base, type Failure, type Outcome, open, outcomeOf, send, silent } from "./Send.ts"
import { lose, session } from "./Session.ts"

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
