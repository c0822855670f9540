/**
 * Platform adapter (`node:fs`, `process.exit`): the process that decodes one file. Frames of standard input are the job, the bytes of the file and, as an empty
 * frame, its end; frames of standard output are the loads of the file. Synchronous reads and writes keep only one step of the work in memory and need no
 * runtime of fibers. The process ends with its input, that is, with the parent.
 */
import { readSync, writeSync } from "node:fs"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Batches } from "../../../decode/Collector.ts"
import { formatDecoder } from "../../../decode/Decode.ts"
import { type Load, loading } from "../../../import/Loads.ts"
import { frame, headBytes, JobText, lengthOf, type Message, MessageText } from "../DecodeProcess.ts"

const [stdin, stdout] = [0, 1]

/** Waits for a pipe that is not ready, in a process without other work. */
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)

const isNotReady = (error: unknown) => error instanceof Error && "code" in error && error.code === "EAGAIN"

/** The result of a system call. A pipe without a reader ends the process. */
const called = (call: () => number): number => {
  for (;;) {
    const done = Either.try({ try: call, catch: isNotReady })
    if (Either.isRight(done)) return done.right
    if (!done.left) process.exit(1)
    pause()
  }
}

const read = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; ) {
    const count = called(() => readSync(stdin, bytes, at, length - at, null))
    if (count === 0) process.exit(1)
    at += count
  }
  return bytes
}

const readFrame = () => read(lengthOf(read(headBytes)))

const utf8 = new TextEncoder()
const encode = Schema.encodeSync(MessageText)
const lineEnd = utf8.encode("\n")

const send = (message: Message, ...parts: ReadonlyArray<Uint8Array>) => {
  const bytes = frame(utf8.encode(encode(message)), lineEnd, ...parts)
  for (let at = 0; at < bytes.length; ) at += called(() => writeSync(stdout, bytes, at))
}

const bytesOf = (lines: string | Uint8Array) => (typeof lines === "string" ? utf8.encode(lines) : lines)

const sendLoad = ({ rows, snapshots, variants, ...load }: Load) => {
  const [days, ranges] = [bytesOf(rows), bytesOf(snapshots)]
  send({ _tag: "Load", ...load, rows: days.length, snapshots: ranges.length }, days, ranges, bytesOf(variants))
}

const job = Schema.decodeSync(JobText)(new TextDecoder().decode(readFrame()))
const decoder = formatDecoder(job.format, job.file, job.options)
const { add, end } = loading()

/** Sends the loads of batches; returns whether to continue. */
const sendBatches = (batches: Batches): boolean => {
  for (const batch of batches) {
    if (Either.isLeft(batch)) {
      const { file, line, reason } = batch.left
      send({ _tag: "Refused", file, line, reason })
      return false
    }
    for (const load of add(batch.right)) sendLoad(load)
  }
  return true
}

const decode = () => {
  for (let bytes = readFrame(); bytes.length > 0; bytes = readFrame()) if (!sendBatches(decoder.push(bytes))) return
  if (!sendBatches(decoder.end())) return
  sendLoad(end())
  send({ _tag: "Finished" })
}

decode()
process.exit(0)
