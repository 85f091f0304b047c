//! Functions of IP addresses and ranges.

use super::call::{Call, Function};
use crate::scalar::net::{self, Cidr};
use crate::value::{Error, Outcome, Value};
use std::net::IpAddr;

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "ip" => |call| match call.args {
            [Value::String(text)] => address(text).map(Value::Ip),
            [Value::Cidr(range)] => Ok(Value::Ip(range.address)),
            _ => call.mismatch(),
        },
        "isIP" => |call| match call.args {
            [Value::String(text)] => Ok(Value::Bool(net::parse_ip(text).is_ok())),
            _ => call.mismatch(),
        },
        "ip.isCanonical" => |call| match call.args {
            [Value::String(text)] => Ok(Value::Bool(address(text)?.to_string() == **text)),
            _ => call.mismatch(),
        },
        "family" => |call| match call.args {
            [Value::Ip(address)] => Ok(Value::Int(if address.is_ipv4() { 4 } else { 6 })),
            _ => call.mismatch(),
        },
        "isUnspecified" => |call| test(call, |address| address.is_unspecified()),
        "isLoopback" => |call| test(call, |address| address.is_loopback()),
        "isLinkLocalMulticast" => |call| test(call, net::is_link_local_multicast),
        "isLinkLocalUnicast" => |call| test(call, net::is_link_local_unicast),
        "isGlobalUnicast" => |call| test(call, net::is_global_unicast),
        "cidr" => |call| match call.args {
            [Value::String(text)] => range(text).map(Value::Cidr),
            _ => call.mismatch(),
        },
        "isCIDR" => |call| match call.args {
            [Value::String(text)] => Ok(Value::Bool(net::parse_cidr(text).is_ok())),
            _ => call.mismatch(),
        },
        "containsIP" => |call| match call.args {
            [Value::Cidr(range), Value::Ip(address)] => Ok(Value::Bool(range.contains(*address))),
            [Value::Cidr(range), Value::String(text)] => {
                // What is no address is an argument of the wrong type.
                let address = net::parse_ip(text).map_err(|_| Error::no_such_overload())?;
                Ok(Value::Bool(range.contains(address)))
            }
            _ => call.mismatch(),
        },
        "containsCIDR" => |call| match call.args {
            [Value::Cidr(outer), Value::Cidr(inner)] => Ok(Value::Bool(outer.contains_range(*inner))),
            [Value::Cidr(outer), Value::String(text)] => Ok(Value::Bool(outer.contains_range(range(text)?))),
            _ => call.mismatch(),
        },
        "masked" => |call| match call.args {
            [Value::Cidr(range)] => Ok(Value::Cidr(range.masked())),
            _ => call.mismatch(),
        },
        "prefixLength" => |call| match call.args {
            [Value::Cidr(range)] => Ok(Value::Int(range.bits.into())),
            _ => call.mismatch(),
        },
        _ => return None,
    })
}

fn address(text: &str) -> Outcome<IpAddr> {
    net::parse_ip(text).map_err(Error::new)
}

fn range(text: &str) -> Outcome<Cidr> {
    net::parse_cidr(text)
        .map_err(|error| Error::new(format!("network address parse error during conversion from string: {error}")))
}

fn test<'a>(call: &Call<'_, 'a>, holds: fn(IpAddr) -> bool) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Ip(address)] => Ok(Value::Bool(holds(*address))),
        _ => call.mismatch(),
    }
}
