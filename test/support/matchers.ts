// Jest types its asymmetric matchers as any. Here they are unknown, so that nothing unchecked can hide behind them.

/** A string that contains this text. */
export const saying = (text: string): unknown => expect.stringContaining(text);

export const matching = (pattern: string | RegExp): unknown => expect.stringMatching(pattern);

/** An object that has at least these members. */
export const containing = (members: object): unknown => expect.objectContaining(members);

/** An array that has at least these elements. */
export const including = (elements: readonly unknown[]): unknown => expect.arrayContaining([...elements]);
