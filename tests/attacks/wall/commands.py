"""Commands that an attacker would try on a key, or on the server as a whole."""

DANGEROUS = [
    *[("KEYS", "*"), ("SCAN", "0"), ("RANDOMKEY",), ("DBSIZE",), ("FLUSHALL",)],
    *[("FLUSHDB",), ("SWAPDB", "0", "1"), ("MONITOR",), ("OBJECT", "ENCODING", "x")],
    *[("OBJECT", "FREQ", "x"), ("MEMORY", "USAGE", "x"), ("MEMORY", "STATS")],
    *[("CONFIG", "SET", "maxmemory", "1mb"), ("CONFIG", "REWRITE")],
    *[("CONFIG", "RESETSTAT"), ("ACL", "LIST"), ("ACL", "GETUSER", "admin")],
    *[("ACL", "SETUSER", "eve", "on", "nopass", "+@all"), ("ACL", "LOG")],
    *[("CLIENT", "LIST"), ("CLIENT", "KILL", "ID", "1"), ("CLIENT", "PAUSE", "1")],
    *[("CLIENT", "TRACKING", "ON", "BCAST"), ("SUBSCRIBE", "__keyspace@0__:x")],
    *[("PSUBSCRIBE", "*"), ("PUBLISH", "x", "y"), ("PUBSUB", "CHANNELS")],
    *[("SAVE",), ("BGSAVE",), ("BGREWRITEAOF",), ("LASTSAVE",), ("SYNC",)],
    *[("PSYNC", "?", "-1"), ("REPLICAOF", "127.0.0.1", "1"), ("FAILOVER",)],
    *[("SHUTDOWN",), ("SLOWLOG", "GET"), ("LATENCY", "HISTORY", "command")],
    *[("MODULE", "LIST"), ("CLUSTER", "NODES"), ("CLUSTER", "GETKEYSINSLOT", "0", "9")],
    ("MIGRATE", "127.0.0.1", "1", "", "0", "1", "KEYS", "x"),
]


def reading(key, mine, probe):
    """Ways to learn something of a key; ``mine`` is one that many may write."""
    return [
        *[("HGET", key, "f"), ("HGETALL", key), ("GET", key), ("MGET", key)],
        *[("FCALL", probe, 1, key), ("FCALL", probe, 0, key), ("DUMP", key)],
        *[("FCALL_RO", probe, 1, key), ("COPY", key, mine), ("RENAME", key, mine)],
        *[
            ("SORT", key, "STORE", mine),
            ("SORT_RO", key),
            ("WATCH", key),
            ("TYPE", key),
        ],
        *[("SORT", mine, "BY", "nosort", "GET", key), ("EXISTS", key), ("STRLEN", key)],
        *[("MEMORY", "USAGE", key), ("OBJECT", "ENCODING", key), ("TOUCH", key)],
        *[("XRANGE", key, "-", "+"), ("XREAD", "STREAMS", key, "0"), ("XLEN", key)],
        *[("LRANGE", key, 0, -1), ("HSCAN", key, 0), ("SUNIONSTORE", mine, key)],
        *[("TTL", key), ("BITOP", "NOT", mine, key), ("LCS", key, mine), ("HLEN", key)],
        ("MIGRATE", "127.0.0.1", 1, key, 0, 1),
    ]


def writing(key, mine, probe):
    """Ways to change it; the last ones leave something there."""
    return [
        *[("COPY", mine, key), ("RENAME", mine, key), ("SORT", mine, "STORE", key)],
        *[("RESTORE", key, 0, "x"), ("APPEND", key, "v"), ("SETEX", key, 9, "v")],
        *[("BITOP", "NOT", key, mine), ("SUNIONSTORE", key, mine), ("DEL", key)],
        *[("EXPIRE", key, 9), ("PERSIST", key), ("HSET", key, "f", "v")],
        *[("SET", key, "v"), ("GETDEL", key), ("RPUSH", key, "v")],
        *[("FCALL", probe, 1, key, "v"), ("FCALL", probe, 0, key, "v")],
    ]
