/** An unsigned JWT that expires at `time`. */
export function expiredAt(time: string): string {
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${part({ alg: "RS256", typ: "JWT" })}.${part({ exp: Date.parse(time) / 1000 })}.signature`;
}
