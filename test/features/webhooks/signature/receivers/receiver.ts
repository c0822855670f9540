import { createHmac, timingSafeEqual } from "node:crypto"

/** Whether a delivery is genuine: `body` is the raw request body, `header` the value of Service-Signature. */
export function isGenuine(body: Buffer, header: string, secret: string, now = Math.floor(Date.now() / 1000)): boolean {
  const parts = header.split(",").map((part) => part.split("="))
  const t = parts.find(([name]) => name === "t")?.[1] ?? ""
  if (!/^[0-9]{1,15}$/.test(t) || Math.abs(now - Number(t)) > 300) return false
  const expected = createHmac("sha256", secret).update(`${t}.`).update(body).digest()
  return parts.some(
    ([name, v1 = ""]) => name === "v1" && /^[0-9a-f]{64}$/.test(v1) && timingSafeEqual(Buffer.from(v1, "hex"), expected)
  )
}
