/** A module that is loaded when one of its members is used. One that is marked as compiled from ESM is not copied by who imports it. */
exports.whenUsed = (load) => new Proxy({}, { get: (_, member) => member === "__esModule" || load()[member] });
